#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "probes/core_trial.hpp"

namespace isthmus::probes {

/// Names, by the place of a fabric::MemoryType.
inline constexpr std::array<std::string_view, 2> kMemoryTypes = {"cacheable", "noncacheable"};

/// A buffer that a core copies to the one behind it.
struct CopyTrial {
  fabric::MemoryType from;
  fabric::MemoryType to;
  std::uint64_t address;  ///< a multiple of a line
  std::uint64_t bytes;    ///< length in bytes, a multiple of a line
};

CoreResult run_trial(const platform::SocSpec& board, const CopyTrial& trial);

}  // namespace isthmus::probes
