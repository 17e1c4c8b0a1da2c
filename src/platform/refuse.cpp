#include "platform/refuse.hpp"

#include <fmt/format.h>

#include "isthmus/base/error.hpp"

namespace isthmus::platform {
namespace {

/// A file may name anything, a message stays one line: control characters are written as escapes.
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

}  // namespace

void refuse(const Place& place, std::string_view key, std::string_view expected, std::string_view got) {
  refuse(place, fmt::format("key '{}': expected {}, got {}", key, expected, got));
}

void refuse(const Place& place, std::string_view text) {
  throw Error(one_line(fmt::format("{}: {}", place, text)));
}

}  // namespace isthmus::platform
