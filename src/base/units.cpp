#include "isthmus/base/units.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "isthmus/base/error.hpp"

namespace isthmus {

Time Time::seconds(double value) {
  const double femtoseconds = std::nearbyint(value * 1e15);
  if (!(std::fabs(femtoseconds) < 9.2e18)) throw Error(fmt::format("a time of {} s is outside +-2.56 hours", value));
  return Time(static_cast<std::int64_t>(femtoseconds));
}

Time Time::operator+(Time other) const {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(fs_, other.fs_, &sum)) throw Error("the run passed the end of time (2.56 hours)");
  return Time(sum);
}

Time transfer_time(Bytes bytes, Bandwidth rate) {
  if (!(rate.bytes_per_second > 0)) throw Error(fmt::format("a rate of {} B/s moves nothing", rate.bytes_per_second));
  return Time::seconds(std::ceil(static_cast<double>(bytes.count) * 1e15 / rate.bytes_per_second) * 1e-15);
}

std::string to_string(Time time) {
  struct Scale {
    double femtoseconds;
    const char* unit;
  };
  static constexpr std::array<Scale, 6> kScales{
      {{1e15, "s"}, {1e12, "ms"}, {1e9, "us"}, {1e6, "ns"}, {1e3, "ps"}, {1, "fs"}}};
  const auto magnitude = std::fabs(static_cast<double>(time.femtoseconds()));
  for (const auto& scale : kScales)
    if (magnitude >= scale.femtoseconds)
      return fmt::format("{:.4g} {}", static_cast<double>(time.femtoseconds()) / scale.femtoseconds, scale.unit);
  return "0 s";
}

}  // namespace isthmus
