#pragma once

#include <random>

#include "apps/image_files.hpp"
#include "isthmus/apps/frames.hpp"

namespace isthmus::apps {

/// Frames cut from a photograph of noise.
class Noise {
 public:
  explicit Noise(ImageSize frame) : frame_(frame) {
    Photograph photograph{.size = {.width = frame.width + 9, .height = frame.height + 7}, .pixels = {}};
    std::mt19937 random(5);
    photograph.pixels.resize(photograph.size.bytes());
    for (auto& byte : photograph.pixels) byte = static_cast<std::byte>(random());
    write_png(folder_ / "noise.png", photograph);
  }
  FrameSource frames(int count) const { return {{folder_ / "noise.png"}, frame_, count, 1}; }

 private:
  TemporaryFolder folder_;
  ImageSize frame_;
};

}  // namespace isthmus::apps
