// The word of the command line that says which thread runs which actor.
#include <cstdint>
#include <string>

#include "isthmus/native.hpp"
#include "one_line.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  isthmus::fuzz::refused_in_one_line([&] { isthmus::native::parse_placement({text}); });
  return 0;
}
