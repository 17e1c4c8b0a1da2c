#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "isthmus/platform/description.hpp"

namespace isthmus::platform {

/// What a platform file says, each input checked by itself.
struct Contents {
  std::string name;
  std::vector<Input> inputs;  ///< in the order of the schema
};

/// Reads and checks a file. Throws Error with file and line.
Contents read(const std::filesystem::path& file);

}  // namespace isthmus::platform
