#pragma once

#include <filesystem>

#include "base/temporary_folder.hpp"
#include "isthmus/apps/photograph.hpp"

namespace isthmus::apps {

/// A photograph in which every pixel tells its place: red the column, green the row, blue both, alpha 255.
Photograph chart(ImageSize size);

/// Write `photograph` to a file, JPEG at the best quality.
void write_jpeg(const std::filesystem::path& file, const Photograph& photograph);
void write_png(const std::filesystem::path& file, const Photograph& photograph);

/// Cuts a file to a part of its length.
void truncate_to(const std::filesystem::path& file, double part);

}  // namespace isthmus::apps
