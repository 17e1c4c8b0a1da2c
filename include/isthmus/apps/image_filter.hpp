#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "isthmus/application/application.hpp"
#include "isthmus/apps/filter.hpp"

namespace isthmus::apps {

/// Writes the pixels of an image of that number.
using ImageFill = std::function<void(int image, std::span<std::byte> pixels)>;

/// The image filter over images of one size, each a message.
program::ByteApplication image_filter_of(const FilterSpec& spec, ImageSize size, ImageFill fill);

/// The same with its usual filter over photographs in full HD, in which a user's folder of photographs is a parameter.
program::Maker image_filter();

}  // namespace isthmus::apps
