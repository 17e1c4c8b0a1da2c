#pragma once

#include "isthmus/apps/frames.hpp"
#include "isthmus/apps/image_filter.hpp"

namespace isthmus::apps {

/// The image filter over frames, which outlive it.
inline program::ByteApplication filter_over(const FrameSource& frames, const FilterSpec& spec = default_filter()) {
  return image_filter_of(spec, frames.size(),
                         [&frames](int image, std::span<std::byte> pixels) { frames.fill(image, pixels); });
}

}  // namespace isthmus::apps
