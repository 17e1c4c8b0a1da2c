#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "isthmus/apps/filter.hpp"

namespace isthmus::apps {

/// A decoded photograph: rows from the top, four bytes a pixel (red, green, blue, alpha).
struct Photograph {
  ImageSize size;
  std::vector<std::byte> pixels;
};

/// The size that a JPEG or PNG file states; throws Error if the file is missing, unreadable, empty or something else.
ImageSize photograph_size(const std::filesystem::path& file);

/// Decodes a JPEG or PNG file whole; throws Error as above, and if its data are corrupt or end early.
Photograph read_photograph(const std::filesystem::path& file);

}  // namespace isthmus::apps
