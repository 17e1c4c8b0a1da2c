#pragma once

#include <cstdint>

#include "isthmus/fabric/axi.hpp"
#include "isthmus/stream.hpp"

namespace isthmus::probes {

/// The lines that a circuit moves through a port.
struct PortMove {
  std::uint64_t address;
  std::uint64_t bytes;
  std::uint64_t burst;   ///< bytes of the longest burst, a power of two
  bool to_fpga;          ///< whether the bytes go to the FPGA; else to the processor
  std::uint64_t writer;  ///< number of the writer whose bytes it writes or expects (fill_line)
};

/// A circuit that moves a buffer once, and counts how long it takes.
class PortMover {
 public:
  Out<fabric::AxiRegion> regions{"regions"};
  In<fabric::AxiBurst> data{"data"};
  Out<fabric::AxiStore> stores{"stores"};
  In<fabric::AxiDone> written{"written"};

  explicit PortMover(const PortMove& move) : move_(move) {}

  void step();
  bool done() const { return finished_; }

  Time elapsed() const { return elapsed_; }
  /// Bursts that were not as expected.
  std::uint64_t wrong() const { return wrong_; }

 private:
  void read();
  void write();

  Timer timer_;
  PortMove move_;
  Time elapsed_;
  std::uint64_t wrong_ = 0;
  bool finished_ = false;
};

}  // namespace isthmus::probes
