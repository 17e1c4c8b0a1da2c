#pragma once

#include <compare>
#include <cstdint>

#include "isthmus/base/units.hpp"

namespace isthmus {

/// A point on a clock, exact to a femtosecond. It reaches as far from the clock's beginning as 292 years, where a Time
/// reaches 2.56 hours: clocks of real machines began long ago.
class Moment {
 public:
  constexpr Moment() = default;
  static constexpr Moment ns(std::int64_t value) { return {value, 0}; }
  /// The moment so long after the clock's beginning.
  explicit constexpr Moment(Time since_beginning) : Moment(ns(0) + since_beginning) {}

  /// Whole nanoseconds since the clock's beginning.
  constexpr std::int64_t nanoseconds() const { return ns_; }
  /// Seconds since the clock's beginning, as exact as a double is.
  constexpr double seconds() const { return static_cast<double>(ns_) * 1e-9 + static_cast<double>(fs_) * 1e-15; }

  constexpr auto operator<=>(const Moment&) const = default;
  constexpr Moment operator+(Time time) const {
    const std::int64_t fs = fs_ + time.femtoseconds() % kNanosecond;
    const std::int64_t carried = fs >= kNanosecond ? 1 : fs < 0 ? -1 : 0;
    return {ns_ + time.femtoseconds() / kNanosecond + carried, fs - carried * kNanosecond};
  }
  /// Throws Error where the two lie further apart than a Time holds.
  Time operator-(Moment earlier) const;

 private:
  static constexpr std::int64_t kNanosecond = 1'000'000;
  constexpr Moment(std::int64_t ns, std::int64_t fs) : ns_(ns), fs_(fs) {}
  std::int64_t ns_ = 0;
  std::int64_t fs_ = 0;  ///< after them, less than a nanosecond
};

}  // namespace isthmus
