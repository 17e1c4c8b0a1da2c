#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "isthmus/base/data_file.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"
#include "isthmus/platform/description.hpp"

namespace isthmus::platform {
namespace {

constexpr std::string_view kModel = "model:";

std::filesystem::path folder() {
  const char* chosen = std::getenv("ISTHMUS_PLATFORMS");
  if (chosen == nullptr || *chosen == '\0') return data_file("platforms");
  if (!std::filesystem::is_directory(chosen)) throw Error(fmt::format("ISTHMUS_PLATFORMS: '{}' is no folder", chosen));
  return chosen;
}

/// Relative where it lies in the current folder: that is how a person would write it.
std::filesystem::path readable(const std::filesystem::path& path) {
  std::error_code failure;
  const auto relative = std::filesystem::relative(path, failure);
  return failure || relative.empty() || *relative.begin() == ".." ? path : relative;
}

}  // namespace

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder()))
    if (entry.path().extension() == ".toml" && entry.path().stem() != "sources") found.push_back(entry.path().stem());
  std::ranges::sort(found);
  return found;
}

std::filesystem::path file_of(std::string_view target) {
  if (target.starts_with(kModel)) {
    const std::string name{target.substr(kModel.size())};
    const std::vector<std::string> known = names();
    if (std::ranges::find(known, name) == known.end()) throw Error(unknown_name("platform", name, known));
    return readable(folder() / (name + ".toml"));
  }
  if (target.ends_with(".toml")) return target;
  throw Error(fmt::format("target '{}': expected model:NAME or a path that ends in .toml", target));
}

}  // namespace isthmus::platform
