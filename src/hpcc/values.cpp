#include "hpcc/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "isthmus/base/error.hpp"
#include "isthmus/hpcc/parameters.hpp"

namespace isthmus::hpcc {
namespace {

constexpr int kHalfFraction = 10;  // bits
constexpr int kHalfLeast = -14;    // exponent of the smallest normal number
constexpr int kHalfMost = 15;
constexpr std::uint16_t kHalfInfinity = 0x7c00;
constexpr std::uint16_t kHalfSign = 0x8000;

template <typename T>
T load(std::span<const std::byte> bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
  return value;
}

template <typename T>
void store(std::span<std::byte> bytes, std::size_t index, T value) {
  std::memcpy(bytes.data() + index * sizeof value, &value, sizeof value);
}

template <typename Get>
double largest_error(std::size_t count, std::span<const double> expected, Get get) {
  double largest = 0;
  for (std::size_t begin = 0; begin < count; begin += expected.size()) {
    const std::size_t here = std::min(expected.size(), count - begin);
    for (std::size_t at = 0; at < here; ++at) {
      const double size = expected[at] == 0 ? 1 : std::abs(expected[at]);
      const double error = std::abs(get(begin + at) - expected[at]) / size;
      if (!(error <= largest)) largest = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
    }
  }
  return largest;
}

}  // namespace

std::uint16_t to_half(double value) {
  const std::uint16_t sign = std::signbit(value) ? kHalfSign : 0;
  const double size = std::abs(value);
  if (std::isnan(value)) return kHalfInfinity | 1;
  if (size == 0) return sign;
  const int exponent = std::max(std::ilogb(size), kHalfLeast);
  if (std::isinf(value) || exponent > kHalfMost) return sign | kHalfInfinity;
  const auto steps = static_cast<int>(std::nearbyint(std::ldexp(size, kHalfFraction - exponent)));
  // A fraction that rounds up to 2 carries into the exponent, as the format means it to.
  return static_cast<std::uint16_t>(sign | (((exponent - kHalfLeast) << kHalfFraction) + steps));
}

double from_half(std::uint16_t bits) {
  const int exponent = (bits >> kHalfFraction) & 31;
  const int fraction = bits & ((1 << kHalfFraction) - 1);
  const double sign = (bits & kHalfSign) != 0 ? -1 : 1;
  if (exponent == 31)
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  const int whole = exponent == 0 ? fraction : fraction + (1 << kHalfFraction);
  return sign * std::ldexp(whole, std::max(exponent, 1) + kHalfLeast - 1 - kHalfFraction);
}

double rounded(const std::string& data_type, double value) {
  if (data_type == "double") return value;
  return data_type == "half" ? from_half(to_half(value)) : static_cast<float>(value);
}

Values::Values(const std::string& data_type, std::size_t count, double start)
    : type_(data_type == "double" ? Type::double_ : (data_type == "half" ? Type::half_ : Type::float_)),
      count_(count),
      bytes_(count * size_of_type(data_type)),
      pages_((bytes_ + sizeof(Page) - 1) / sizeof(Page)) {
  fill({&start, 1});
}

void Values::fill(std::span<const double> values) {
  if (count_ == 0) return;
  const std::size_t first = std::min(values.size(), count_);
  for (std::size_t index = 0; index < first; ++index) set(index, values[index]);
  // Each copy doubles what there is.
  for (std::size_t done = first * (bytes_ / count_); done < bytes_; done *= 2)
    std::memcpy(bytes().data() + done, bytes().data(), std::min(done, bytes_ - done));
}

double Values::at(std::size_t index) const {
  switch (type_) {
    case Type::double_:
      return load<double>(bytes(), index);
    case Type::half_:
      return from_half(load<std::uint16_t>(bytes(), index));
    default:
      return load<float>(bytes(), index);
  }
}

void Values::set(std::size_t index, double value) {
  switch (type_) {
    case Type::double_:
      return store(bytes(), index, value);
    case Type::half_:
      return store(bytes(), index, to_half(value));
    default:
      return store(bytes(), index, static_cast<float>(value));
  }
}

double Values::largest_relative_error(std::span<const double> expected) const {
  if (type_ == Type::float_)
    return largest_error(count_, expected, [this](std::size_t index) -> double { return load<float>(bytes(), index); });
  if (type_ == Type::double_)
    return largest_error(count_, expected, [this](std::size_t index) { return load<double>(bytes(), index); });
  return largest_error(count_, expected, [this](std::size_t index) { return at(index); });
}

double larger(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::infinity();
  return std::max(a, b);
}

void require_type(const std::string& data_type, const offload::DeviceProperties& device) {
  const bool missing = (data_type == "half" && !device.half) || (data_type == "double" && !device.fp64);
  if (missing)
    throw Error(fmt::format("DATA_TYPE={}: device '{}' does not have {}, expected another type", data_type, device.name,
                            data_type == "half" ? "cl_khr_fp16" : "cl_khr_fp64"));
}

}  // namespace isthmus::hpcc
