#pragma once

#include <cstdint>

#include "isthmus/platform/soc_board.hpp"
#include "probes/core_buffer.hpp"

namespace isthmus::probes {

/// A buffer that the FPGA moves through one port, with no cost of software.
struct PortTrial {
  std::size_t port;  ///< index of the port on the board
  bool to_fpga;
  BufferState state;
  std::uint64_t address;  ///< a multiple of a line
  std::uint64_t bytes;    ///< length in bytes, a multiple of a line
};

struct PortResult {
  Time elapsed;
  bool verified;  ///< whether the other side has what was sent
};

PortResult run_trial(const platform::SocSpec& board, const PortTrial& trial);

}  // namespace isthmus::probes
