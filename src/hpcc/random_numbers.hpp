#pragma once

#include <cstdint>

namespace isthmus::hpcc {

/// The number after `number` in the sequence of HPC Challenge's RandomAccess: x^63 + x^2 + x + 1 over GF(2).
constexpr std::uint64_t next_number(std::uint64_t number) {
  constexpr std::uint64_t kPolynomial = 7;
  return (number << 1U) ^ ((number >> 63U) != 0 ? kPolynomial : 0);
}

/// The `index`th number of that sequence, which begins with 1, in a time that grows with the logarithm of the index.
std::uint64_t number_at(std::uint64_t index);

}  // namespace isthmus::hpcc
