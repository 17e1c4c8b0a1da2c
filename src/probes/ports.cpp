#include "probes/ports.hpp"

#include <algorithm>

#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"
#include "probes/port_trial.hpp"
#include "probes/side_by_side.hpp"
#include "probes/whole_lines.hpp"

namespace isthmus::probes {
namespace {

/// The ports that were asked for; all if none was.
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

void moves(const Job& job, const Report& report, bool to_fpga) {
  const platform::SocSpec board = platform::soc_spec(platform::load(platform::file_of(job.target), job.overrides));
  const std::vector<std::size_t> ports = ports_of(job, board);
  const std::vector<BufferState> states = states_of(job);
  check_whole_lines(job, board, 1);
  std::vector<PortTrial> trials;
  for (const std::size_t port : ports)
    for (const BufferState state : states)
      for (const Bytes size : job.sizes)
        trials.push_back({.port = port,
                          .to_fpga = to_fpga,
                          .state = state,
                          .address = static_cast<std::uint64_t>(job.offset.count),
                          .bytes = static_cast<std::uint64_t>(size.count)});
  run_side_by_side(
      trials, [&](const PortTrial& trial) { return run_trial(board, trial); },
      [&](const PortTrial& trial, const PortResult& result) { tell(board, trial, result, report); });
}

}  // namespace

void port_sends(const Job& job, Target&, const Report& report) {
  moves(job, report, true);
}

void port_receives(const Job& job, Target&, const Report& report) {
  moves(job, report, false);
}

}  // namespace isthmus::probes
