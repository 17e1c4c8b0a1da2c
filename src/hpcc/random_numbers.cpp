#include "hpcc/random_numbers.hpp"

namespace isthmus::hpcc {
namespace {

constexpr std::uint64_t kPolynomial = 7;  // x^64 = x^2 + x + 1 in the arithmetic of next_number

/// The product of two polynomials over GF(2), reduced as next_number reduces.
std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  for (; b != 0; b >>= 1U) {
    if ((b & 1U) != 0) product ^= a;
    a = (a << 1U) ^ ((a >> 63U) != 0 ? kPolynomial : 0);
  }
  return product;
}

}  // namespace

std::uint64_t number_at(std::uint64_t index) {
  // next_number multiplies by x, so the number is x^index.
  std::uint64_t power = 1;
  std::uint64_t square = 2;
  for (; index != 0; index >>= 1U) {
    if ((index & 1U) != 0) power = multiply(power, square);
    square = multiply(square, square);
  }
  return power;
}

}  // namespace isthmus::hpcc
