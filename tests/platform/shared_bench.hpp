#pragma once

#include <cstdint>
#include <vector>

#include "fabric/coherence_bench.hpp"
#include "isthmus/platform/shared_board.hpp"

/// A board with several channels, of which a circuit reads and writes a few lines over any, beside cores.
namespace isthmus::platform {

/// What the circuit may do.
struct CircuitSpec {
  int count = 100;  ///< accesses
  int at_once = 4;  ///< of reads, and of writes
  int lines = 4;
  int writes = 50;     ///< percent
  int most = 1;        ///< lines of a request
  bool fenced = true;  ///< a write is over when a fence behind it is answered; else when it is acknowledged itself
  std::vector<std::uint8_t> channels{};  ///< that it names
};

struct SharedBench {
  SharedSpec spec;
  CircuitSpec circuit;
  std::vector<fabric::ClientSpec> cores;
  int lines = 4;
  std::uint64_t schedule_seed = 0;
  std::uint64_t seed = 1;
};

/// The operations end with a read of each word where it is newest at the end, in a cache or in memory: a modified line
/// that was lost is a stale read there.
fabric::CoherenceRun run(const SharedBench& bench);

}  // namespace isthmus::platform
