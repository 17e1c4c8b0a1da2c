#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "isthmus/base/random.hpp"
#include "isthmus/stream.hpp"

/// The float operations of both applications on matrices.
namespace isthmus::apps {

inline constexpr std::size_t kFloatsAWord = kWordBytes / sizeof(float);
using WordOfFloats = std::array<float, kFloatsAWord>;

/// What a sum of n products in single precision may be off by rounding, added up in whatever order: sums on the way are
/// of the size of sqrt(n) times a product's, each is rounded by half of its last bit at most, and the n errors, which
/// have either sign, add up to sqrt(n) of them; four times that holds for the largest of millions of sums.
inline double rounding(std::size_t products, double product) {
  return 4 * 0x1p-24 * static_cast<double>(products) * product;
}

/// Uniform in [-1, 1): number `index` of a message.
inline float drawn(int message, std::uint64_t index) {
  const std::uint64_t word = random_word((static_cast<std::uint64_t>(message) << 40U) + index);
  return static_cast<float>(static_cast<std::int64_t>(word) >> 40) * 0x1p-23F;
}

inline float float_of(std::span<const std::byte> element) {
  float value = 0;
  std::memcpy(&value, element.data(), sizeof(value));
  return value;
}

/// The values of applications on matrices come as numbers of a kernel's signature.
inline std::size_t bytes_of_floats(std::size_t count) {
  return count * sizeof(float);
}

}  // namespace isthmus::apps
