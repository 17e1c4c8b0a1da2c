#pragma once

#include <cstdint>

namespace isthmus::hpcc {

/// Numbers from -0.5 up to 0.5, each a pure function of seed and index: any part of a distributed array can be made
/// anywhere (Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA 2014: SplitMix64).
class RandomValues {
 public:
  explicit RandomValues(std::uint64_t seed) : seed_(seed) {}
  double at(std::uint64_t index) const {
    std::uint64_t bits = (seed_ * 0x2545f4914f6cdd1dU) + (index + 1) * 0x9e3779b97f4a7c15U;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
    bits ^= bits >> 31;
    return static_cast<double>(bits >> 11) * 0x1p-53 - 0.5;
  }

 private:
  std::uint64_t seed_;
};

}  // namespace isthmus::hpcc
