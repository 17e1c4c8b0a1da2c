#pragma once

#include <cstdint>
#include <vector>

#include "isthmus/engine/graph.hpp"
#include "isthmus/fabric/dram.hpp"

namespace isthmus::fabric::test {

/// The channel of a DDR4-2133 module of 8 Gb x8 devices (JESD79-4).
DramSpec ddr4_2133();
/// The channel of a DDR3-1600 module of 4 Gb x8 devices (JESD79-3).
DramSpec ddr3_1600();

struct DramRequest {
  Time at;
  std::uint64_t address;
  std::uint32_t bytes;
};

/// One reading or writing master, by itself on its port.
struct DramMaster {
  bool writes = false;
  std::vector<DramRequest> requests;
};

struct DramRun {
  std::vector<std::vector<Time>> replies;  ///< of each master, request by request
  std::vector<DramCommand> commands;       ///< in order of time
  RunReport report;
};

/// Runs so many masters on a controller.
DramRun run_dram(const DramSpec& spec, const std::vector<DramMaster>& masters);

/// What of the standard's timings the commands break, worked out pair by pair from the data sheet's values; empty where
/// all is well.
std::vector<std::string> violations(const DramSpec& spec, const std::vector<DramCommand>& commands);

}  // namespace isthmus::fabric::test
