// A system file, from bytes.
#include "isthmus/platform/system.hpp"

#include <cstdint>
#include <string_view>

#include "isthmus/platform/json.hpp"
#include "one_line.hpp"
#include "scratch.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const isthmus::fuzz::Scratch scratch;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  isthmus::fuzz::refused_in_one_line([&] {
    const auto system = isthmus::platform::load_system(scratch.write(text));
    isthmus::platform::to_json(system).text();
  });
  return 0;
}
