#include "probes/shared_trial.hpp"

#include <fmt/format.h>

#include "isthmus/base/error.hpp"
#include "isthmus/platform/specs.hpp"

namespace isthmus::probes {
namespace {

using fabric::LineAccess;
using platform::SharedBoard;

constexpr int kOfACore = 16;       // accesses that a core of the host has under way
constexpr int kOfACircuit = 4096;  // more than a service layer lets through

// The actor that has written a line last.
constexpr std::uint64_t kCore = 1;
constexpr std::uint64_t kCircuit = 2;

/// The times at which accesses passed the FPGA's cache.
struct Passages final : fabric::CoherenceObserver {
  std::vector<Time> lookups;
  std::vector<Time> returns;
  void now_is(std::size_t, std::uint64_t, fabric::LineState, Time) override {}
  void buffered(std::size_t, std::uint64_t, bool, Time) override {}
  void looked_up(std::size_t agent, const LineAccess&, Time at) override {
    if (agent == SharedBoard::kFpga) lookups.push_back(at);
  }
  void came_back(std::size_t agent, Time at) override {
    if (agent == SharedBoard::kFpga) returns.push_back(at);
  }
};

/// The core's work before and after that of the circuit.
std::vector<LinePass> passes_of_core(const Trial& trial) {
  const bool writes = trial.kind == LineAccess::Kind::write;
  std::vector<LinePass> passes{{.kind = LineAccess::Kind::write,
                                .lines = trial.start == Start::flushed ? 0 : trial.lines,
                                .writer = kCore,
                                .told = true}};
  if (writes)
    passes.push_back({.kind = LineAccess::Kind::read, .lines = trial.lines, .writer = kCircuit, .awaited = true});
  return passes;
}

/// Accesses that warm the cache go over the coherent channel.
std::vector<LinePass> passes_of_circuit(const Trial& trial, std::uint8_t channel) {
  const bool writes = trial.kind == LineAccess::Kind::write;
  const LinePass pass{
      .kind = trial.kind, .lines = trial.lines, .writer = writes ? kCircuit : kCore, .channel = platform::kCoherentWay};
  std::vector<LinePass> passes(trial.start == Start::warm ? 2 : 1, pass);
  passes.front().awaited = true;
  passes.back().told = true;
  passes.back().fenced = writes && channel != platform::kCoherentWay;
  passes.back().channel = channel;
  return passes;
}

class Machine {
 public:
  Machine(const platform::Description& board, const Trial& trial)
      : trial_(trial),
        spec_(platform::shared_spec(board)),
        way_(trial.way.empty() ? platform::kCoherentWay : platform::way_named(spec_, trial.way)),
        memory_(spec_),
        first_(memory_.space.allocate({static_cast<std::int64_t>(bytes())})),
        run_(board, spec_, memory_, 1, trial.one_by_one ? &passages_ : nullptr),
        circuit_(add_movers(run_, {.way = core_way(), .passes = passes_of_core(trial)},
                            {.way = circuit_way(), .passes = passes_of_circuit(trial, way_)})
                     .circuit) {
    if (trial.start == Start::flushed) fill();
    for (std::size_t port = 0; port < circuit_.requests.size(); ++port) attach(port);
  }

  TrialResult run() {
    run_.run();
    const LineMover::Times& times = circuit_.times().back();
    TrialResult result{.elapsed = times.last - times.first};
    for (std::size_t i = 0; i < spec_.channels.size(); ++i)
      result.requests.emplace_back(spec_.channels[i], circuit_.requests_over()[i]);
    const std::vector<LineMover::Each>& each = circuit_.each();
    if (way_ != platform::kCoherentWay) {
      for (const LineMover::Each& one : each) result.each.push_back({one.begin, {}, {}, one.end});
      return result;
    }
    const std::size_t before = passages_.lookups.size() - each.size();  // a warm start's
    for (std::size_t i = 0; i < each.size(); ++i)
      result.each.push_back({each[i].begin, passages_.lookups[before + i], passages_.returns[before + i], each[i].end});
    return result;
  }

 private:
  std::uint64_t bytes() const { return trial_.lines * static_cast<std::uint64_t>(spec_.coherence.line); }

  LineWay core_way() const {
    return {
        .name = "core", .first = first_, .line = spec_.coherence.line, .at_once = kOfACore, .space = &memory_.space};
  }
  LineWay circuit_way() const {
    return {.name = "circuit",
            .first = first_,
            .line = spec_.coherence.line,
            .ports = trial_.one_by_one ? 1 : spec_.ports,
            .burst = trial_.burst,
            .channels = static_cast<int>(spec_.channels.size()),
            .at_once = trial_.one_by_one ? 1 : kOfACircuit,
            .in_order = way_ != fabric::kAnyChannel,
            .each_told = trial_.one_by_one};
  }

  /// What a core would have written long ago.
  void fill() {
    const auto line = static_cast<std::uint64_t>(spec_.coherence.line);
    for (std::uint64_t at = first_; at < first_ + bytes(); at += line)
      fill_line(at - first_, kCore, memory_.space.bytes(at, spec_.coherence.line));
  }

  void attach(std::size_t port) {
    const auto number = static_cast<int>(port);
    if (trial_.kind == LineAccess::Kind::write)
      run_.board.attach_writes(number, circuit_.requests[port], circuit_.results[port]);
    else
      run_.board.attach_reads(number, circuit_.requests[port], circuit_.results[port]);
  }

  Trial trial_;
  platform::SharedSpec spec_;
  std::uint8_t way_;
  PinnedSpace memory_;
  std::uint64_t first_;
  Passages passages_;
  SharedRun run_;
  LineMover& circuit_;
};

}  // namespace

TrialResult run_trial(const platform::Description& board, const Trial& trial) {
  return Machine(board, trial).run();
}

}  // namespace isthmus::probes
