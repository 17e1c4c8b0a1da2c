#include "platform/cycles.hpp"

#include <fmt/format.h>

#include <cmath>

#include "platform/refuse.hpp"

namespace isthmus::platform {

int cycles(Time time, Frequency clock) {
  return static_cast<int>(std::lround(time.seconds() * clock.hertz()));
}

int at_least(int least, const Section& part, std::string_view key, Frequency clock, std::string_view of) {
  const int count = cycles(part.time(key), clock);
  if (count < least)
    refuse(part.place_of(key), part.name_of(key), fmt::format("at least {} cycles of {}", least, of),
           to_string(part.time(key)));
  return count;
}

int at_least(int least, const Section& part, std::string_view key) {
  const int count = part.count(key);
  if (count < least)
    refuse(part.place_of(key), part.name_of(key), fmt::format("at least {} cycles", least), fmt::format("{}", count));
  return count;
}

}  // namespace isthmus::platform
