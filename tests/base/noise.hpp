#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace isthmus {

/// Fills the bytes with what looks like noise.
inline void fill_with_noise(std::span<std::byte> bytes, unsigned seed) {
  for (std::byte& byte : bytes) byte = static_cast<std::byte>((seed = seed * 1664525U + 1013904223U) >> 24U);
}

inline std::vector<std::byte> noise(std::size_t size, unsigned seed) {
  std::vector<std::byte> bytes(size);
  fill_with_noise(bytes, seed);
  return bytes;
}

}  // namespace isthmus
