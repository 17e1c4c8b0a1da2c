#include "apps/images_beside.hpp"

#include <algorithm>

#include "isthmus/base/interrupt.hpp"

namespace isthmus::apps {
namespace {

/// How far ahead of the image that is finished a flow may ask for input (ImageExchange).
constexpr int kAhead = 4;

}  // namespace

ImagesBeside::ImagesBeside(const FrameSource& frames, Checker& checker)
    : frames_(frames), checker_(checker), slots_(kAhead) {
  for (Slot& each : slots_) {
    each.in.resize(frames.size().bytes());
    each.out.resize(frames.size().bytes());
  }
}

std::span<const std::byte> ImagesBeside::input(int image) {
  Slot& to = slot(image);
  draw(image, to);
  return to.in;
}

std::span<std::byte> ImagesBeside::output(int image) {
  return slot(image).out;
}

void ImagesBeside::finished(int image) {
  stop_if_interrupted();
  worker_.add([this, image, &of = slot(image)] {
    draw(image, of);
    checker_.check(image, of.in, of.out);
  });
}

ImagesBeside::Slot& ImagesBeside::slot(int image) {
  worker_.wait_for(static_cast<std::uint64_t>(std::max(0, image + 1 - kAhead)));
  return slots_[static_cast<std::size_t>(image % kAhead)];
}

void ImagesBeside::draw(int image, Slot& to) const {
  if (to.drawn == image) return;
  frames_.fill(image, to.in);
  to.drawn = image;
}

}  // namespace isthmus::apps
