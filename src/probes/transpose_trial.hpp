#pragma once

#include <cstdint>

#include "probes/core_trial.hpp"

namespace isthmus::probes {

inline constexpr std::uint64_t kTransposed = 4;  ///< bytes of an element

/// A square matrix in cacheable memory that a core transposes into the buffer behind it.
struct TransposeTrial {
  fabric::MemoryType to;
  std::uint64_t address;  ///< a multiple of a line
  std::uint64_t rows;
  std::uint64_t bytes;  ///< bytes of the matrix
};

CoreResult run_trial(const platform::SocSpec& board, const TransposeTrial& trial);

}  // namespace isthmus::probes
