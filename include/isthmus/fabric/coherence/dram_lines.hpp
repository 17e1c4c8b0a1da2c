#pragma once

#include <cstdint>
#include <deque>

#include "isthmus/engine/timer.hpp"
#include "isthmus/fabric/axi.hpp"
#include "isthmus/fabric/coherence/line_store.hpp"

namespace isthmus::fabric {

/// The memory behind a home where others use it too: a master of a DRAM channel, on the home's clock. Line n lies at
/// byte n times its length. A read waits for a write of its line that is under way, as the controller serves each
/// direction for itself, and a fence for all that the home has sent before.
class DramLines {
 public:
  In<MemoryRead> reads{"reads"};
  Out<MemoryData> data{"data"};
  In<MemoryWrite> writes{"writes"};
  Out<AxiRead> dram_reads{"dram_reads"};
  In<AxiBurst> dram_data{"dram_data"};
  Out<AxiWrite> dram_writes{"dram_writes"};
  In<AxiWritten> dram_written{"dram_written"};

  /// `line` is the size of a line in bytes.
  explicit DramLines(int line) : line_(line) {}

  void step();
  bool done() const { return over_; }

 private:
  void take_written();
  void write();
  void read();
  void hand_on();
  std::uint64_t byte(std::uint64_t line) const { return line * static_cast<std::uint64_t>(line_); }

  Timer timer_;
  int line_;
  std::deque<std::uint64_t> writing_;  ///< lines on their way to memory, in the order of their arrival there
  std::uint64_t written_ = 0;          ///< lines that are in memory
  std::deque<std::uint16_t> reading_;  ///< transactions of reads, in the order of their answers
  bool moved_ = false;
  bool answered_ = false;  ///< whether a read was answered in this step
  bool over_ = false;
};

}  // namespace isthmus::fabric
