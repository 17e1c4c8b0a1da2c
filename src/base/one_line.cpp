#include "isthmus/base/one_line.hpp"

#include <fmt/format.h>

namespace isthmus {

std::string one_line(std::string_view text) {
  std::string line;
  for (const char character : text) {
    const auto code = static_cast<unsigned char>(character);
    if (code < 0x20 || code == 0x7f)
      line += fmt::format("\\x{:02x}", code);
    else
      line += character;
  }
  return line;
}

}  // namespace isthmus
