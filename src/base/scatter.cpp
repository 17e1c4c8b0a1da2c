#include "isthmus/base/scatter.hpp"

#include <algorithm>
#include <bit>

namespace isthmus {
namespace {

// The first 32 bits of the fractions of the square roots of 2, 3, 5 and 7, the third made odd: any odd factors would
// do.
constexpr std::uint32_t kFirstFactor = 0x6a09e667;
constexpr std::uint32_t kFirstTerm = 0xbb67ae85;
constexpr std::uint32_t kSecondFactor = 0x3c6ef373;
constexpr std::uint32_t kSecondTerm = 0xa54ff53a;

}  // namespace

// Folding the upper half of the bits onto the lower one and an affine map with an odd factor are bijections of [0,
// 2^bits). What falls outside [0, count) is mapped again until it does not (cycle walking), which keeps that for any
// count: fewer than two rounds each on average, as count is more than half of 2^bits.
std::uint32_t scattered(std::uint32_t index, std::uint32_t count) {
  const int bits = std::max(1, static_cast<int>(std::bit_width(count - 1)));
  const std::uint32_t mask = ~0U >> (32 - bits);
  const int shift = (bits + 1) / 2;
  do {
    index = ((index ^ index >> shift) * kFirstFactor + kFirstTerm) & mask;
    index = ((index ^ index >> shift) * kSecondFactor + kSecondTerm) & mask;
    index ^= index >> shift;
  } while (index >= count);
  return index;
}

}  // namespace isthmus
