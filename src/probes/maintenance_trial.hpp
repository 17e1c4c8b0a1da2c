#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "probes/core_trial.hpp"

namespace isthmus::probes {

/// The operation of software on a buffer's lines in caches.
enum class Maintenance : std::uint8_t {
  flush,       ///< flush what a core has written, before the FPGA reads it
  invalidate,  ///< invalidate what a core has read, after the FPGA has written it
};
inline constexpr std::array<std::string_view, 2> kMaintenance = {"flush", "invalidate"};

/// Bytes in several buffers, which a core maintains one after the other while the other cores go to memory.
struct MaintenanceTrial {
  Maintenance operation;
  std::uint64_t buffers;
  int load;               ///< accesses that each other core has under way
  std::uint64_t address;  ///< a multiple of a line
  std::uint64_t bytes;    ///< bytes of all buffers, each of whole lines
};

/// It is right where the caches hold nothing in the end and memory has what was written.
CoreResult run_trial(const platform::SocSpec& board, const MaintenanceTrial& trial);

}  // namespace isthmus::probes
