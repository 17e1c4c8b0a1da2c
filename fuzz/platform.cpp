// A platform file and overrides of its keys, from bytes.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isthmus/platform/description.hpp"
#include "isthmus/platform/json.hpp"
#include "one_line.hpp"
#include "scratch.hpp"

namespace {

constexpr std::string_view kOverride = "--set ";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const isthmus::fuzz::Scratch scratch;
  std::string file;
  std::vector<std::string> overrides;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.starts_with(kOverride))
      overrides.emplace_back(line.substr(kOverride.size()));
    else
      file.append(line).append("\n");
  }
  isthmus::fuzz::refused_in_one_line([&] {
    const auto description = isthmus::platform::load(scratch.write(file), overrides);
    description.sha256();
    isthmus::platform::to_json(description).text();
  });
  return 0;
}
