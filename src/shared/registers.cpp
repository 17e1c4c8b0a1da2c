#include "isthmus/shared/registers.hpp"

#include <fmt/format.h>

#include "isthmus/base/error.hpp"

namespace isthmus {

std::uint16_t place_among(int count, const char* what, int number) {
  if (number < 0 || number >= count)
    throw Error(fmt::format("{}: expected a number from 0 to {}, got {}", what, count - 1, number));
  return static_cast<std::uint16_t>(number);
}

}  // namespace isthmus
