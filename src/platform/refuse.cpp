#include "platform/refuse.hpp"

#include <fmt/format.h>

#include "isthmus/base/error.hpp"
#include "isthmus/base/one_line.hpp"

namespace isthmus::platform {

void refuse(const Place& place, std::string_view key, std::string_view expected, std::string_view got) {
  refuse(place, fmt::format("key '{}': expected {}, got {}", key, expected, got));
}

void refuse(const Place& place, std::string_view text) {
  throw Error(one_line(fmt::format("{}: {}", place, text)));
}

}  // namespace isthmus::platform
