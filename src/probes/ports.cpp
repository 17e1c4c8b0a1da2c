#include "probes/ports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "isthmus/base/cores.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"
#include "isthmus/base/nearest.hpp"
#include "isthmus/base/worker.hpp"
#include "probes/port_trial.hpp"

namespace isthmus::probes {
namespace {

/// Those that were asked for; all where none was.
std::vector<std::size_t> ports_of(const Job& job, const platform::SocSpec& board) {
  std::vector<std::size_t> ports;
  ports.reserve(board.ports.size());
  for (const std::string& name : job.ports) ports.push_back(port_named(board, name));
  for (std::size_t port = 0; job.ports.empty() && port < board.ports.size(); ++port) ports.push_back(port);
  return ports;
}

/// Likewise; of those that nothing names, the three of the paper.
std::vector<BufferState> states_of(const Job& job) {
  if (job.states.empty()) return {BufferState::written, BufferState::read, BufferState::flushed};
  const std::vector<std::string> names(kBufferStates.begin(), kBufferStates.end());
  std::vector<BufferState> states;
  for (const std::string& name : job.states) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) throw Error("--state: " + unknown_name("state", name, names));
    states.push_back(static_cast<BufferState>(found - names.begin()));
  }
  return states;
}

void check(const Job& job, const platform::SocSpec& board) {
  const std::int64_t line = board.coherence.line;
  if (job.offset.count % line != 0)
    throw Error(
        fmt::format("--offset: expected a multiple of a line of {} B (cpu.l2.line), got {} B", line, job.offset.count));
  for (const Bytes size : job.sizes) {
    if (size.count % line != 0)
      throw Error(
          fmt::format("--sizes: expected multiples of a line of {} B (cpu.l2.line), got {} B", line, size.count));
    if (size.count > board.capacity.count - job.offset.count)
      throw Error(fmt::format("--sizes: expected at most the {} B of a channel of the DRAM behind --offset, got {} B",
                              board.capacity.count - job.offset.count, size.count));
  }
}

void tell(const platform::SocSpec& board, const PortTrial& trial, const PortResult& result, const Report& report) {
  const auto size = static_cast<std::int64_t>(trial.bytes);
  report({.quantity = "bandwidth",
          .unit = "GB/s",
          .size = {size},
          .parameters = {{"port", board.ports[trial.port].name},
                         {"state", std::string(kBufferStates.at(static_cast<std::size_t>(trial.state)))}},
          .samples = {static_cast<double>(size) / result.elapsed.seconds() * 1e-9},
          .times = {result.elapsed},
          .verified = result.verified});
}

/// Trials that run side by side, each in a graph of its own, on as many threads as there are cores.
class SideBySide {
 public:
  SideBySide(const platform::SocSpec& board, std::vector<PortTrial> trials)
      : board_(board), trials_(std::move(trials)), results_(trials_.size()), sides_(Cores::here().all().size()) {}

  /// In the order of the trials.
  void run(const Report& report) {
    std::vector<std::pair<Side*, std::uint64_t>> places;
    for (std::size_t i = 0; i < trials_.size(); ++i) {
      Side& side = *std::ranges::min_element(sides_, {}, &Side::bytes);
      side.bytes += trials_[i].bytes;
      side.worker.add([this, i] {
        stop_if_interrupted();
        results_[i] = run_trial(board_, trials_[i]);
      });
      places.emplace_back(&side, ++side.trials);
    }
    for (std::size_t i = 0; i < trials_.size(); ++i) {
      places[i].first->worker.wait_for(places[i].second);
      tell(board_, trials_[i], results_[i], report);
    }
  }

 private:
  struct Side {
    std::uint64_t bytes = 0;  ///< that its trials move
    std::uint64_t trials = 0;
    Worker worker{};
  };
  const platform::SocSpec& board_;
  std::vector<PortTrial> trials_;
  std::vector<PortResult> results_;
  std::deque<Side> sides_;
};

void moves(const Job& job, const Report& report, bool to_fpga) {
  const platform::SocSpec board = platform::soc_spec(platform::load(platform::file_of(job.target), job.settings));
  const std::vector<std::size_t> ports = ports_of(job, board);
  const std::vector<BufferState> states = states_of(job);
  check(job, board);
  std::vector<PortTrial> trials;
  for (const std::size_t port : ports)
    for (const BufferState state : states)
      for (const Bytes size : job.sizes)
        trials.push_back({.port = port,
                          .to_fpga = to_fpga,
                          .state = state,
                          .address = static_cast<std::uint64_t>(job.offset.count),
                          .bytes = static_cast<std::uint64_t>(size.count)});
  SideBySide(board, std::move(trials)).run(report);
}

}  // namespace

void port_sends(const Job& job, Target&, const Report& report) {
  moves(job, report, true);
}

void port_receives(const Job& job, Target&, const Report& report) {
  moves(job, report, false);
}

}  // namespace isthmus::probes
