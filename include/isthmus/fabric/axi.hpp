#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "isthmus/base/units.hpp"

/// The tokens of an AXI port between a master and a memory. A token is a burst: it carries its data, and the actor that
/// passes it on takes the time of its beats.
namespace isthmus::fabric {

/// No AXI burst crosses a boundary of 4 KiB, so none is longer (AMBA AXI, burst address).
inline constexpr std::size_t kLongestAxiBurst = 4096;

/// Asks for one burst.
struct AxiRead {
  std::uint64_t address;
  std::uint32_t bytes;
};

/// The data of one burst; only the first `bytes` are meant.
struct AxiBurst {
  std::uint32_t bytes;
  std::array<std::byte, kLongestAxiBurst> data;
};

/// One burst to be written.
struct AxiWrite {
  std::uint64_t address;
  AxiBurst burst;
};

/// A burst has been written.
struct AxiWritten {
  std::uint32_t bytes;
};

/// One AXI port of the FPGA.
struct AxiSpec {
  Bytes width;       ///< of the data path, each direction
  Frequency clock;   ///< of the interconnect
  Time latency;      ///< of the way through the interconnect and back
  Bytes burst;       ///< the longest that a master asks for
  int outstanding;   ///< bursts that a master has under way, reads and writes each
  /// How long a burst takes on the data path.
  Time beats(std::uint32_t bytes) const;
};

}  // namespace isthmus::fabric
