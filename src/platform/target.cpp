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
constexpr std::string_view kNative = "native";

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
    if (entry.path().extension() == ".toml") found.push_back(entry.path().stem());
  std::ranges::sort(found);
  return found;
}

bool is_model(std::string_view target) {
  return target.starts_with(kModel) || target.ends_with(".toml");
}

std::filesystem::path file_of(std::string_view target) {
  if (!is_model(target)) throw unknown_target(target, "model:NAME or a path that ends in .toml");
  if (!target.starts_with(kModel)) return target;
  std::vector<std::string> known = names();
  for (std::string& name : known) name.insert(0, kModel);
  if (std::ranges::find(known, target) == known.end()) throw Error(unknown_name("target", target, known));
  return readable(folder() / fmt::format("{}.toml", target.substr(kModel.size())));
}

Error unknown_target(std::string_view target, std::string_view expected) {
  std::vector<std::string> known = names();
  known.emplace_back(kNative);
  const std::string file = fmt::format("./{}.toml", target);
  const std::string near = nearest(target, known);
  const std::string meant = std::filesystem::exists(file)     ? file
                            : near.empty() || near == kNative ? near
                                                              : std::string(kModel) + near;
  const std::string hint = meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant);
  return Error(fmt::format("unknown target '{}': expected {}{}", target, expected, hint));
}

}  // namespace isthmus::platform
