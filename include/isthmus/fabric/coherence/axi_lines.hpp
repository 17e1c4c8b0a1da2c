#pragma once

#include <cstdint>
#include <vector>

#include "isthmus/engine/timer.hpp"
#include "isthmus/fabric/axi.hpp"
#include "isthmus/fabric/coherence/line_store.hpp"

namespace isthmus::fabric {

struct AxiLinesSpec {
  int line = 64;            ///< bytes of a line; every burst is a multiple of it
  int outstanding = 8;      ///< bursts under way, reads and writes each
  std::int64_t burst = 64;  ///< bytes of the longest burst
};

/// AxiLines connects an AXI port to an actor that serves lines. It takes each burst apart, an access a cycle, and
/// answers bursts in the order in which they came, reads and writes each, after all their lines have come.
class AxiLines {
 public:
  In<AxiRead> reads{"reads"};
  Out<AxiBurst> data{"data"};
  In<AxiWrite> writes{"writes"};
  Out<AxiWritten> written{"written"};
  Out<LineAccess> accesses{"accesses"};
  In<LineResult> results{"results"};

  explicit AxiLines(const AxiLinesSpec& spec);

  void step();
  bool done() const { return over_; }

 private:
  struct Burst {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    std::uint32_t asked = 0;      ///< bytes of the burst that are requested
    std::uint32_t left = 0;       ///< bytes of the burst that are still to come back
    std::vector<std::byte> data;  ///< data of a read
  };
  /// Bursts of one direction, in their order.
  struct Order {
    std::vector<Burst> bursts;
    std::size_t first = 0;
    std::size_t count = 0;

    bool full() const { return count == bursts.size(); }
    std::size_t place(std::size_t i) const { return (first + i) % bursts.size(); }
    Burst& oldest() { return bursts[first]; }
    /// The burst that may leave: the oldest, once it is whole.
    bool ready() const { return count > 0 && bursts[first].left == 0; }
    Burst& begin(std::uint64_t address, std::uint32_t bytes);
    void end();
  };
  struct Line {
    bool write = false;
    std::size_t burst = 0;  ///< index of the burst
    std::uint32_t offset = 0;
  };

  void take_result();
  void hand_back();
  void take_read();
  bool ask_read();
  bool ask_write();
  LineAccess& ask(LineAccess::Kind kind, Order& order, std::size_t place);

  Timer timer_;
  AxiLinesSpec spec_;
  Order reading_;
  Order writing_;
  std::size_t to_ask_ = 0;  ///< index of the first read that is not requested yet
  std::vector<Line> lines_;
  Places free_;
  bool write_next_ = false;  ///< whether writes have the next turn if both have lines to request
  bool moved_ = false;
  bool over_ = false;
};

}  // namespace isthmus::fabric
