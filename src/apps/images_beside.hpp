#pragma once

#include <span>
#include <vector>

#include "isthmus/apps/frames.hpp"
#include "isthmus/apps/image_flows.hpp"
#include "isthmus/apps/target.hpp"
#include "isthmus/base/worker.hpp"

namespace isthmus::apps {

/// The images of a model's run: drawn when they are asked for, and compared with the reference by a thread beside, in
/// their order. Memory for a few of them is used in turn, so that none is copied. Images finish in their order from 0
/// on. What that thread throws reaches the next call.
class ImagesBeside final : public ImageExchange {
 public:
  ImagesBeside(const FrameSource& frames, Checker& checker);

  std::span<const std::byte> input(int image) override;
  std::span<std::byte> output(int image) override;
  /// An input that nobody has asked for is drawn for the comparison.
  void finished(int image) override;
  /// Until all that has finished has been compared.
  void compare_rest() { worker_.finish(); }

 private:
  struct Slot {
    std::vector<std::byte> in;
    std::vector<std::byte> out;
    int drawn = -1;  ///< the image that `in` holds
  };

  Slot& slot(int image);
  void draw(int image, Slot& to) const;

  const FrameSource& frames_;
  Checker& checker_;
  std::vector<Slot> slots_;
  Worker worker_;
};

}  // namespace isthmus::apps
