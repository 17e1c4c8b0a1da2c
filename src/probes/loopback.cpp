#include "probes/loopback.hpp"

#include "isthmus/platform/shared_board.hpp"
#include "probes/line_mover.hpp"
#include "probes/shared_trial.hpp"

namespace isthmus::probes {
namespace {

using Kind = fabric::LineAccess::Kind;

constexpr int kOfACore = 10;      // lines that a core has under way
constexpr int kOfACircuit = 512;  // lines that a circuit has under way: more than its channels carry

// The state of a line, as its last writer leaves it.
constexpr std::uint64_t kBeginner = 1;
constexpr std::uint64_t kBegun = 2;   // the beginner says that its lines are there
constexpr std::uint64_t kCopied = 3;  // the other says so

/// The lines behind the first: those of the beginner, those of the other, and a line for each to tell the other.
struct LinePlaces {
  std::uint64_t source = 0;
  std::uint64_t copy;
  std::uint64_t begun;
  std::uint64_t copied;
  std::uint64_t end;

  LinePlaces(std::uint64_t bytes, std::uint64_t line)
      : copy(bytes), begun(2 * bytes), copied(2 * bytes + line), end(2 * bytes + 2 * line) {}
};

/// Passes of the side that begins. What is written over other channels than the coherent one is there behind a fence.
std::vector<LinePass> passes_of_beginner(const LinePlaces& places, std::uint64_t lines, std::uint8_t way) {
  const bool fenced = way != platform::kCoherentWay;
  return {{.kind = Kind::write,
           .lines = lines,
           .writer = kBeginner,
           .from = places.source,
           .fenced = fenced,
           .channel = way},
          {.kind = Kind::write, .lines = 1, .writer = kBegun, .from = places.begun, .channel = way},
          {.kind = Kind::read, .lines = 1, .writer = kCopied, .from = places.copied, .until = true, .channel = way},
          {.kind = Kind::read, .lines = lines, .writer = kBeginner, .from = places.copy, .channel = way}};
}

std::vector<LinePass> passes_of_other(const LinePlaces& places, std::uint64_t lines, std::uint8_t way) {
  const bool fenced = way != platform::kCoherentWay;
  return {{.kind = Kind::read, .lines = 1, .writer = kBegun, .from = places.begun, .until = true, .channel = way},
          {.kind = Kind::read, .lines = lines, .writer = kBeginner, .from = places.source, .channel = way},
          {.kind = Kind::write,
           .lines = lines,
           .writer = kBeginner,
           .from = places.copy,
           .copied = true,
           .fenced = fenced,
           .channel = way},
          {.kind = Kind::write, .lines = 1, .writer = kCopied, .from = places.copied, .channel = way}};
}

class Machine {
 public:
  Machine(const platform::Description& board, const Loopback& loopback)
      : spec_(platform::shared_spec(board)),
        way_(platform::way_named(spec_, loopback.way)),
        places_(loopback.lines * line(), line()),
        space_(memory_, spec_.space),
        first_(space_.allocate({static_cast<std::int64_t>(places_.end)})),
        board_(graph_, spec_, memory_, space_, 1),
        core_(graph_.add<LineMover>("core", {.clock = board_.core_clock()}, core_way(),
                                    passes(!loopback.by_circuit, loopback.lines, platform::kCoherentWay))),
        circuit_(graph_.add<LineMover>("circuit", {.clock = spec_.circuit}, circuit_way(),
                                       passes(loopback.by_circuit, loopback.lines, way_))),
        beginner_(loopback.by_circuit ? circuit_ : core_) {
    board_.attach_core(core_.requests[0], core_.results[0]);
    board_.attach_reads(0, circuit_.requests[0], circuit_.results[0]);
    board_.attach_writes(0, circuit_.requests[1], circuit_.results[1]);
    for (int port = 1; port < spec_.ports; ++port) {
      board_.leave_out_reads(port);
      board_.leave_out_writes(port);
    }
    graph_.connect(core_.end, circuit_.begin);
    graph_.connect(circuit_.end, core_.begin);
  }

  Time run() {
    graph_.run();
    return beginner_.times().back().last - beginner_.times().front().first;
  }

 private:
  std::uint64_t line() const { return static_cast<std::uint64_t>(spec_.coherence.line); }

  std::vector<LinePass> passes(bool begins, std::uint64_t lines, std::uint8_t way) const {
    return begins ? passes_of_beginner(places_, lines, way) : passes_of_other(places_, lines, way);
  }

  LineWay core_way() const {
    return {.name = "core", .first = first_, .line = spec_.coherence.line, .at_once = kOfACore, .space = &space_};
  }
  LineWay circuit_way() const {
    return {.name = "circuit",
            .first = first_,
            .line = spec_.coherence.line,
            .ports = 2,
            .channels = static_cast<int>(spec_.channels.size()),
            .split = true,
            .at_once = kOfACircuit};
  }

  platform::SharedSpec spec_;
  std::uint8_t way_;
  LinePlaces places_;
  PinnedMemory memory_;
  fabric::SharedSpace space_;
  std::uint64_t first_;
  Graph graph_;
  platform::SharedBoard board_;
  LineMover& core_;
  LineMover& circuit_;
  LineMover& beginner_;
};

}  // namespace

Time run_loopback(const platform::Description& board, const Loopback& loopback) {
  return Machine(board, loopback).run();
}

}  // namespace isthmus::probes
