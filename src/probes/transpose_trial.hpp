#pragma once

#include <cstdint>

#include "isthmus/platform/soc_board.hpp"

namespace isthmus::probes {

inline constexpr std::uint64_t kTransposed = 4;  ///< bytes of an element

/// A square matrix in cacheable memory that a core transposes into the buffer behind it.
struct TransposeTrial {
  fabric::MemoryType to;
  std::uint64_t address;  ///< a multiple of a line
  std::uint64_t rows;
  std::uint64_t bytes;  ///< bytes of the matrix
};

struct TransposeResult {
  Time elapsed;   ///< time until the core has handed out its last store
  bool verified;  ///< whether the elements have arrived
};

TransposeResult run_trial(const platform::SocSpec& board, const TransposeTrial& trial);

}  // namespace isthmus::probes
