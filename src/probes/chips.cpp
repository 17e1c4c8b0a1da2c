#include "probes/chips.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "isthmus/base/error.hpp"
#include "probes/chip_trials.hpp"
#include "probes/named.hpp"
#include "probes/side_by_side.hpp"

namespace isthmus::probes {
namespace {

using fabric::MemoryType;

constexpr std::array kBothTypes = {MemoryType::cacheable, MemoryType::noncacheable};
constexpr std::array kStates = {BufferState::written, BufferState::read, BufferState::flushed, BufferState::streamed};
constexpr std::array kOperations = {Maintenance::flush, Maintenance::invalidate};

using Parameters = std::vector<std::pair<std::string, Finding::Parameter>>;

/// Runs trials and tells the rate of each.
template <class Trial, class ParametersOf>
void report_rates(const platform::SocSpec& board, const std::vector<Trial>& trials, const Report& report,
                  const ParametersOf& parameters_of) {
  run_side_by_side(
      trials, [&](const Trial& trial) { return run_trial(board, trial); },
      [&](const Trial& trial, const BufferResult& result) {
        const auto size = static_cast<std::int64_t>(trial.bytes);
        report({.quantity = "bandwidth",
                .unit = "GB/s",
                .size = {size},
                .parameters = parameters_of(trial),
                .samples = {static_cast<double>(size) / result.elapsed.seconds() * 1e-9},
                .times = {result.elapsed},
                .verified = result.verified});
      });
}

std::string name_of(MemoryType type) {
  return std::string(kMemoryTypes.at(static_cast<std::size_t>(type)));
}

platform::SocSpec board_of(const Job& job) {
  return platform::soc_spec(platform::load(platform::file_of(job.target), job.overrides));
}

std::uint64_t address_of(const Job& job) {
  return static_cast<std::uint64_t>(job.offset.count);
}

/// Throws Error unless the job's offset and sizes are whole lines of a processor's cache, and so many buffers of each
/// size lie in its memory.
void check_whole_lines(const Job& job, const platform::SocSpec& board, std::int64_t buffers) {
  const std::int64_t line = board.coherence.line;
  if (job.offset.count % line != 0)
    throw Error(
        fmt::format("--offset: expected a multiple of a line of {} B (cpu.l2.line), got {} B", line, job.offset.count));
  const std::int64_t most = (board.capacity.count - job.offset.count) / buffers;
  for (const Bytes size : job.sizes) {
    if (size.count % line != 0)
      throw Error(
          fmt::format("--sizes: expected multiples of a line of {} B (cpu.l2.line), got {} B", line, size.count));
    if (size.count > most)
      throw Error(fmt::format("--sizes: expected at most the {} B of a channel of the DRAM behind --offset{}, got {} B",
                              most, buffers > 1 ? fmt::format(", for each of {} buffers", buffers) : "", size.count));
  }
}

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
  return named<BufferState>(job.states, kStates, kBufferStates, "--state", "state");
}

void moves(const Job& job, const Report& report, bool to_fpga) {
  const platform::SocSpec board = board_of(job);
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
                          .address = address_of(job),
                          .bytes = static_cast<std::uint64_t>(size.count)});
  report_rates(board, trials, report, [&](const PortTrial& trial) -> Parameters {
    return {{"port", board.ports[trial.port].name},
            {"state", std::string(kBufferStates.at(static_cast<std::size_t>(trial.state)))}};
  });
}

/// Rows of a square matrix of so many bytes; none where no square has so many.
std::optional<std::uint64_t> rows_of(Bytes size) {
  const auto elements = static_cast<std::uint64_t>(size.count) / kTransposed;
  const auto rows = static_cast<std::uint64_t>(std::llround(std::sqrt(static_cast<double>(elements))));
  if (rows * rows * kTransposed != static_cast<std::uint64_t>(size.count)) return {};
  return rows;
}

/// The operations that were asked for; all if none was.
std::vector<Maintenance> operations_of(const Job& job) {
  if (job.operations.empty()) return {kOperations.begin(), kOperations.end()};
  return named<Maintenance>(job.operations, kOperations, kMaintenance, "--op", "operation");
}

constexpr int kMostBuffers = 1 << 20;
constexpr int kMostLoad = 8;  // linefills of a core (Arm Cortex-A53 manual)

void check_maintenance(const Job& job, const platform::SocSpec& board) {
  for (const int load : job.loads)
    if (load < 0 || load > kMostLoad)
      throw Error(fmt::format("--load: expected 0..{} accesses of each other core, got {}", kMostLoad, load));
  for (const int buffers : job.buffers) {
    if (buffers < 1 || buffers > kMostBuffers)
      throw Error(fmt::format("--buffers: expected 1..{}, got {}", kMostBuffers, buffers));
    for (const Bytes size : job.sizes)
      if (size.count % (static_cast<std::int64_t>(buffers) * board.coherence.line) != 0)
        throw Error(fmt::format("--buffers {}: expected sizes that cut into so many of whole lines of {} B, got {} B",
                                buffers, board.coherence.line, size.count));
  }
}

std::vector<MaintenanceTrial> trials_of(const Job& job) {
  std::vector<MaintenanceTrial> trials;
  for (const Maintenance operation : operations_of(job))
    for (const int buffers : job.buffers)
      for (const int load : job.loads)
        for (const Bytes size : job.sizes)
          trials.push_back({.operation = operation,
                            .buffers = static_cast<std::uint64_t>(buffers),
                            .load = load,
                            .address = address_of(job),
                            .bytes = static_cast<std::uint64_t>(size.count)});
  return trials;
}

}  // namespace

void port_sends(const Job& job, Target&, const Report& report) {
  moves(job, report, true);
}

void port_receives(const Job& job, Target&, const Report& report) {
  moves(job, report, false);
}

void core_copies(const Job& job, Target&, const Report& report) {
  const platform::SocSpec board = board_of(job);
  check_whole_lines(job, board, 2);
  std::vector<CopyTrial> trials;
  for (const MemoryType from : kBothTypes)
    for (const MemoryType to : kBothTypes)
      for (const Bytes size : job.sizes)
        trials.push_back(
            {.from = from, .to = to, .address = address_of(job), .bytes = static_cast<std::uint64_t>(size.count)});
  report_rates(board, trials, report, [](const CopyTrial& trial) -> Parameters {
    return {{"from", name_of(trial.from)}, {"to", name_of(trial.to)}};
  });
}

void transposes(const Job& job, Target&, const Report& report) {
  const platform::SocSpec board = board_of(job);
  check_whole_lines(job, board, 2);
  std::vector<TransposeTrial> trials;
  for (const MemoryType to : kBothTypes)
    for (const Bytes size : job.sizes)
      if (const auto rows = rows_of(size))
        trials.push_back(
            {.to = to, .address = address_of(job), .rows = *rows, .bytes = static_cast<std::uint64_t>(size.count)});
  report_rates(board, trials, report, [](const TransposeTrial& trial) -> Parameters {
    return {{"to", name_of(trial.to)}};
  });
}

void maintenance(const Job& job, Target&, const Report& report) {
  const platform::SocSpec board = board_of(job);
  check_whole_lines(job, board, 1);
  check_maintenance(job, board);
  report_rates(board, trials_of(job), report, [](const MaintenanceTrial& trial) -> Parameters {
    return {{"op", std::string(kMaintenance.at(static_cast<std::size_t>(trial.operation)))},
            {"buffers", static_cast<std::int64_t>(trial.buffers)},
            {"load", std::int64_t{trial.load}}};
  });
}

}  // namespace isthmus::probes
