#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isthmus/offload/device.hpp"

namespace isthmus::hpcc {

/// IEEE 754 binary16, rounded to nearest even; the host's C++ has no type for it.
std::uint16_t to_half(double value);
double from_half(std::uint16_t bits);

/// The value of type float, double or half that is nearest to `value`.
double rounded(const std::string& data_type, double value);

/// Numbers of a type that is chosen at run time, as a device has them, in whole pages: drivers pin no less.
class Values {
 public:
  Values(const std::string& data_type, std::size_t count, double start);

  std::size_t size() const { return count_; }
  double at(std::size_t index) const;
  void set(std::size_t index, double value);
  /// All of them, with these values again and again.
  void fill(std::span<const double> values);
  std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(pages_)).first(bytes_); }
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(pages_)).first(bytes_); }

  /// The largest |value - expected| / |expected|, of what is expected again and again; infinite where a value is no
  /// number.
  double largest_relative_error(std::span<const double> expected) const;

 private:
  enum class Type : std::uint8_t { float_, double_, half_ };
  struct alignas(4096) Page {
    std::array<std::byte, 4096> bytes;
  };

  Type type_;
  std::size_t count_;
  std::size_t bytes_;
  std::vector<Page> pages_;
};

/// The larger of two errors; one that is no number is infinitely large.
double larger(double a, double b);

/// Throws Error if the device does not have the type.
void require_type(const std::string& data_type, const offload::DeviceProperties& device);

}  // namespace isthmus::hpcc
