#pragma once

#include <cstdint>

/// Numbers that look drawn at random and follow from what they are of, so that each can be had by itself.
namespace isthmus {

/// Odd, and 2^64 over the golden section: what a state of splitmix64 grows by.
inline constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;

/// The number that splitmix64 (Steele et al. 2014) draws in a state.
constexpr std::uint64_t mixed(std::uint64_t state) {
  state += kGolden;
  state = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9U;
  state = (state ^ (state >> 27U)) * 0x94d049bb133111ebU;
  return state ^ (state >> 31U);
}

/// The number that it draws at `index`, from 0 on, if it begins at 0.
constexpr std::uint64_t random_word(std::uint64_t index) {
  return mixed(index * kGolden);
}

/// Number `index` of those `of` something, of a seed. Each counts with all its bits.
constexpr std::uint64_t random_word(std::uint64_t seed, std::uint64_t of, std::uint64_t index) {
  return mixed(mixed(mixed(seed) + of) + index);
}

}  // namespace isthmus
