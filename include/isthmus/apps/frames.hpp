#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "isthmus/apps/photograph.hpp"

namespace isthmus::apps {

struct PhotographChoice {
  std::vector<std::filesystem::path> files;
  int too_small = 0;  ///< number of photographs that were left out as too small
};

/// The photographs that an application works on: the first dozen of `folder` that are at least as large as `frame`, in
/// the order of their names; without a folder those of Debian's package mate-backgrounds. Smaller ones are left out,
/// never scaled up. Throws Error if the folder cannot be read, holds no JPEG or PNG file, or none is large enough.
PhotographChoice find_photographs(const std::optional<std::filesystem::path>& folder, ImageSize frame);

/// A fixed number of frames cut from photographs: each photograph in turn is a shot over which the frame pans, one
/// pixel aside and one down from frame to frame, from a place that the seed chooses. A photograph of exactly the
/// frame's size leaves no room to pan.
class FrameSource {
 public:
  /// Decodes as many of the photographs as there are frames; throws Error if one is smaller than the frame, and as
  /// `read_photograph` does.
  FrameSource(const std::vector<std::filesystem::path>& photographs, ImageSize frame, int frames, std::uint64_t seed);

  ImageSize size() const { return size_; }
  int count() const { return count_; }

  /// Writes frame `index` of 0..count()-1 to `frame`, which holds size().bytes().
  void fill(int index, std::span<std::byte> frame) const;

 private:
  struct Shot {
    Photograph photograph;
    std::int64_t start;  ///< index of its first frame, counted row by row
  };

  ImageSize size_;
  int count_;
  std::vector<Shot> shots_;
};

}  // namespace isthmus::apps
