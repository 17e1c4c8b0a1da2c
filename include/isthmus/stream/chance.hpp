#pragma once

#include <cstdint>

#include "isthmus/engine/timer.hpp"

namespace isthmus {

/// Tells whether an event of this probability happens this time. An impossible event draws no number.
inline bool happens(Random& random, double probability) {
  constexpr std::uint64_t kNumbers = std::uint64_t{1} << 53U;  // a double holds each of them
  return probability > 0 && static_cast<double>(random.below(kNumbers)) < probability * static_cast<double>(kNumbers);
}

}  // namespace isthmus
