#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "isthmus/base/units.hpp"

/// The tokens of an AXI port between a master and memory. A token is a burst: it carries its data, and the actor that
/// passes it on takes the time of its beats.
namespace isthmus::fabric {

/// No AXI burst crosses a boundary of 4 KiB, so none is longer (AMBA AXI, burst address).
inline constexpr std::size_t kLongestAxiBurst = 4096;

/// An AXI port of the FPGA.
struct AxiSpec {
  Bytes width;      ///< width of the data path, each direction
  Frequency clock;  ///< clock of the interconnect
  Time latency;     ///< time through the interconnect and back
  Bytes burst;      ///< bytes of a master's longest burst: a power of two from 64 B to kLongestAxiBurst
  int outstanding;  ///< bursts that a master has under way, reads and writes each
  std::optional<Bandwidth> master_rate{};  ///< rate of a master, if it is slower than the data path

  /// The time of a burst on the data path.
  Time beats(std::uint64_t bytes) const;
  /// The first burst of `bytes` from `address` on: bursts end at multiples of `burst`.
  std::uint32_t first_burst(std::uint64_t address, std::uint64_t bytes) const;
};

/// The place of bytes in the device's memory.
struct DeviceAddress {
  std::uint32_t channel = 0;
  std::uint64_t byte = 0;
};

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
struct AxiWritten {};

/// A master's read request to its port; the answer is a stream of bursts.
struct AxiRegion {
  DeviceAddress at;
  std::uint64_t bytes;
};

/// A master's write to its port.
struct AxiStore {
  std::uint32_t channel;
  bool last;  ///< whether the port reports when this and all earlier words are written
  AxiWrite write;
};

/// Everything up to a `last` AxiStore is in memory.
struct AxiDone {};

/// Copies the bytes that are meant.
void copy(const AxiBurst& from, AxiBurst& to);
void copy(const AxiStore& from, AxiStore& to);
inline std::int64_t bytes_of(const AxiBurst& burst) {
  return burst.bytes;
}
inline std::int64_t bytes_of(const AxiStore& store) {
  return store.write.burst.bytes;
}

/// The bytes that have passed a port's data path, and the time of the last.
struct AxiPassed {
  std::uint64_t bytes = 0;
  Time last;

  void add(std::uint64_t more, Time now) {
    bytes += more;
    last = now;
  }
};

}  // namespace isthmus::fabric
