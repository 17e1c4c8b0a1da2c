#pragma once

#include <cstdint>
#include <string>

#include "isthmus/platform/description.hpp"

namespace isthmus::probes {

/// Lines that one side writes, the other copies elsewhere, and the first reads and compares (gemieux2018, figure 3).
struct Loopback {
  std::string way;         ///< channel of the circuit's lines, or the choice among channels
  bool by_circuit = true;  ///< whether the circuit begins; else a core does
  std::uint64_t lines = 1;
};

/// The time from the first line that is written to the last that has come back, with the lines of memory by which each
/// tells the other. Throws Error where bytes come back changed, or lines do not fit into the page table.
Time run_loopback(const platform::Description& board, const Loopback& loopback);

}  // namespace isthmus::probes
