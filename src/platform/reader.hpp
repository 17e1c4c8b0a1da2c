#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "isthmus/platform/schema.hpp"
#include "isthmus/platform/section.hpp"

namespace isthmus::platform {

/// The content of a platform file, each input checked by itself.
struct Contents {
  std::string name;
  std::vector<Section> parts;  ///< parts in the order of the schema, those of one kind by name
};

/// Reads and checks a file. Throws Error with file and line.
Contents read(const std::filesystem::path& file, Schema schema);

}  // namespace isthmus::platform
