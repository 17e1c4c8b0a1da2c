#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "isthmus/platform/soc_board.hpp"

namespace isthmus::probes {

/// What a core has done to a buffer before a port moves it (min2019, table II).
enum class BufferState : std::uint8_t {
  written,  ///< in an order that keeps the lines in the caches
  read,
  flushed,
  streamed,  ///< written in sequence
};
inline constexpr std::array<std::string_view, 4> kBufferStates = {"written", "read", "flushed", "streamed"};

/// A buffer that the FPGA moves through one port, with no cost of software.
struct PortTrial {
  std::size_t port;  ///< of the board's
  bool to_fpga;
  BufferState state;
  std::uint64_t address;  ///< a multiple of a line
  std::uint64_t bytes;    ///< likewise
};

struct PortResult {
  Time elapsed;
  bool verified;  ///< the other side has what was sent
};

PortResult run_trial(const platform::SocSpec& board, const PortTrial& trial);

}  // namespace isthmus::probes
