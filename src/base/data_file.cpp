#include "isthmus/base/data_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "isthmus/base/error.hpp"

namespace isthmus {
namespace {

std::filesystem::path& package() {
  static std::filesystem::path folder;
  return folder;
}

std::filesystem::path program() {
  std::error_code failure;
  auto program = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (failure) throw Error(fmt::format("/proc/self/exe: {}", failure.message()));
  return program;
}

}  // namespace

void look_for_data_in(const std::filesystem::path& folder) {
  package() = folder;
}

std::optional<std::filesystem::path> find_data_file(const std::filesystem::path& relative) {
  std::error_code failure;
  for (auto folder = program().parent_path();; folder = folder.parent_path()) {
    if (std::filesystem::exists(folder / relative, failure)) return folder / relative;
    if (folder == folder.root_path()) break;
  }
  if (!package().empty() && std::filesystem::exists(package() / relative, failure)) return package() / relative;
  return std::nullopt;
}

std::filesystem::path data_file(const std::filesystem::path& relative) {
  if (auto found = find_data_file(relative)) return *found;
  const std::string or_package = package().empty() ? "" : fmt::format(" or in {}", package().string());
  throw Error(fmt::format("{}: not found in any folder above {}{}; install isthmus again", relative.string(),
                          program().string(), or_package));
}

std::string read_whole(const std::filesystem::path& file, std::string_view what) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream bytes;
  // Output of an empty file would count as a failure.
  if (stream.peek() != std::ifstream::traits_type::eof()) bytes << stream.rdbuf();
  if (!stream.is_open() || stream.bad() || !bytes) throw Error(fmt::format("{}: cannot read {}", file.string(), what));
  return bytes.str();
}

}  // namespace isthmus
