#pragma once

#include <memory>
#include <utility>

#include "isthmus/apps/frames.hpp"
#include "isthmus/apps/image_filter.hpp"

namespace isthmus::apps {

/// The image filter over frames.
inline program::ByteApplication filter_over(FrameSource source, const FilterSpec& spec = default_filter()) {
  const auto frames = std::make_shared<const FrameSource>(std::move(source));
  return image_filter_of(spec, frames->size(),
                         [frames](int image, std::span<std::byte> pixels) { frames->fill(image, pixels); });
}

}  // namespace isthmus::apps
