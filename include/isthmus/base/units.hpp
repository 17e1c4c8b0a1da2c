#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <string>

namespace isthmus {

/// A point or span of virtual time in femtoseconds: exact, signed, 2.56 hours long.
class Time {
 public:
  constexpr Time() = default;
  static constexpr Time fs(std::int64_t value) { return Time(value); }
  static constexpr Time ps(std::int64_t value) { return Time(value * 1'000); }
  static constexpr Time ns(std::int64_t value) { return Time(value * 1'000'000); }
  static constexpr Time us(std::int64_t value) { return Time(value * 1'000'000'000); }
  static constexpr Time ms(std::int64_t value) { return Time(value * 1'000'000'000'000); }
  static constexpr Time max() { return Time(std::numeric_limits<std::int64_t>::max()); }
  /// The nearest femtosecond; throws Error if it lies outside what a Time holds.
  static Time seconds(double value);

  constexpr std::int64_t femtoseconds() const { return fs_; }
  constexpr double seconds() const { return static_cast<double>(fs_) * 1e-15; }

  constexpr auto operator<=>(const Time&) const = default;
  /// Additions throw Error where the end of time would be passed.
  Time operator+(Time other) const;
  constexpr Time operator-(Time other) const { return Time(fs_ - other.fs_); }
  Time& operator+=(Time other) { return *this = *this + other; }

 private:
  constexpr explicit Time(std::int64_t value) : fs_(value) {}
  std::int64_t fs_ = 0;
};

/// A number of bytes.
struct Bytes {
  std::int64_t count = 0;
  constexpr auto operator<=>(const Bytes&) const = default;
};

/// Bytes a second.
struct Bandwidth {
  double bytes_per_second = 0;
  static constexpr Bandwidth gb_per_second(double value) { return {value * 1e9}; }
  constexpr double gb_per_second() const { return bytes_per_second * 1e-9; }
  constexpr auto operator<=>(const Bandwidth&) const = default;
};

/// A rational number of hertz, so that clocks of one source keep coincident edges for ever.
struct Frequency {
  std::int64_t numerator = 0;  ///< frequency in hertz, times `denominator`
  std::int64_t denominator = 1;
  static constexpr Frequency hz(std::int64_t value) { return {value, 1}; }
  static constexpr Frequency mhz(std::int64_t value) { return {value * 1'000'000, 1}; }
  constexpr double hertz() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
  constexpr bool operator==(const Frequency&) const = default;
};

/// The time of `bytes` at `rate`, rounded up to a femtosecond.
Time transfer_time(Bytes bytes, Bandwidth rate);

/// "1.25 us", "340 ns": three significant digits and a unit a person would choose.
std::string to_string(Time time);

}  // namespace isthmus
