#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isthmus/engine/port_array.hpp"
#include "isthmus/engine/timer.hpp"
#include "isthmus/fabric/coherence/line_store.hpp"
#include "isthmus/shared/run.hpp"

namespace isthmus::probes {

/// Fills a line with what a writer leaves there: each word tells its place among the lines and the writer.
void fill_line(std::uint64_t place, std::uint64_t writer, std::span<std::byte> line);

/// A way over some lines, one after the other.
struct LinePass {
  fabric::LineAccess::Kind kind;
  std::uint64_t lines;
  std::uint64_t writer;      ///< number of the writer whose bytes the pass writes or expects
  bool awaited = false;      ///< whether the pass begins with a token
  bool told = false;         ///< whether the pass ends with a token
  std::uint64_t from = 0;    ///< offset of the lines from the mover's first address
  bool until = false;        ///< whether the pass reads one line again until it is as expected
  bool copied = false;       ///< whether the pass writes what the pass before has read
  bool fenced = false;       ///< whether the pass ends with a fence over all channels
  std::uint8_t channel = 0;  ///< channel of the pass, if there are several
};

/// The lines of a mover, and the way in which it goes over them.
struct LineWay {
  std::string name;         ///< name in error texts
  std::uint64_t first = 0;  ///< address of the first line
  int line = 64;
  int ports = 1;           ///< ports that the lines use in turn
  int burst = 1;           ///< lines of a request
  int channels = 1;        ///< channels that results may come over
  bool split = false;      ///< whether the first of two ports has the reads and the second the writes
  int at_once = 1;         ///< lines under way
  bool in_order = false;   ///< whether a port's results come in the order of its requests
  bool each_told = false;  ///< whether to keep the begin and end of each access
  const fabric::SharedSpace* space = nullptr;  ///< set for a core: translates the circuit's addresses to host addresses
};

/// Passes over lines, of a circuit or of a core of the host. What it reads is what it expects, else it throws Error.
class LineMover {
 public:
  PortArray<Out<fabric::LineAccess>> requests;
  PortArray<In<fabric::LineResult>> results;
  In<int> begin{"begin"};
  Out<int> end{"end"};

  struct Times {
    Time first;  ///< time of the first request
    Time last;   ///< time of the last result
  };
  struct Each {
    Time begin;
    Time end;
  };

  LineMover(LineWay way, std::vector<LinePass> passes);

  void step();
  bool done() const { return pass_ == passes_.size(); }

  /// Times of each pass.
  const std::vector<Times>& times() const { return times_; }
  /// The number of requests of the last pass that went over each channel.
  const std::vector<std::int64_t>& requests_over() const { return requests_over_; }
  /// Times of each access of the last pass.
  const std::vector<Each>& each() const { return each_; }

 private:
  struct Slot {
    std::uint64_t number = 0;  ///< index of the line
    Time begin{};
    std::uint8_t more = 0;  ///< lines of the same request that follow
  };
  void start();
  std::size_t first_port() const;  ///< first port of this pass
  std::size_t ports() const { return way_.split ? 1 : requests.size(); }
  bool take(std::size_t port);
  bool send(std::size_t port);
  void send_line(std::size_t port, std::uint64_t number);
  void fence();
  void finish();
  std::uint64_t address_of(std::uint64_t number) const { return way_.first + passes_[pass_].from + number * line_; }
  void fill(std::uint64_t number, std::span<std::byte> line) const;
  bool is_expected(const fabric::LineResult& result, std::uint64_t number) const;
  void keep(const fabric::LineResult& result, std::uint64_t number);

  Timer timer_;
  LineWay way_;
  std::uint64_t line_;
  std::vector<LinePass> passes_;
  std::size_t pass_ = 0;
  bool started_ = false;
  std::vector<std::uint64_t> sent_;      ///< for each port, the lines requested in this pass
  std::vector<std::uint64_t> received_;  ///< for each port, the lines answered in this pass
  std::uint64_t finished_ = 0;
  std::vector<Slot> slots_;
  fabric::Places free_;
  std::vector<Times> times_;
  std::vector<Each> each_;
  std::vector<std::int64_t> requests_over_;
  std::vector<std::byte> found_;  ///< bytes found by the last pass that read, if a pass writes them
};

/// The lines that a mover goes over, and what it does there.
struct LineMoves {
  LineWay way;
  std::vector<LinePass> passes;
};

struct Movers {
  LineMover& core;
  LineMover& circuit;  ///< whose ports are to be attached
};

/// Adds a core and a circuit, each of which may await what the other tells.
Movers add_movers(SharedRun& run, const LineMoves& core, const LineMoves& circuit);

}  // namespace isthmus::probes
