#include "probes/software.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"
#include "probes/copy_trial.hpp"
#include "probes/maintenance_trial.hpp"
#include "probes/side_by_side.hpp"
#include "probes/transpose_trial.hpp"
#include "probes/whole_lines.hpp"

namespace isthmus::probes {
namespace {

using fabric::MemoryType;

constexpr std::array kBothTypes = {MemoryType::cacheable, MemoryType::noncacheable};

std::string name_of(MemoryType type) {
  return std::string(kMemoryTypes.at(static_cast<std::size_t>(type)));
}

using Parameters = std::vector<std::pair<std::string, Finding::Parameter>>;

Finding rate(std::uint64_t bytes, Time elapsed, bool verified, Parameters parameters) {
  const auto size = static_cast<std::int64_t>(bytes);
  return {.quantity = "bandwidth",
          .unit = "GB/s",
          .size = {size},
          .parameters = std::move(parameters),
          .samples = {static_cast<double>(size) / elapsed.seconds() * 1e-9},
          .times = {elapsed},
          .verified = verified};
}

platform::SocSpec board_of(const Job& job) {
  return platform::soc_spec(platform::load(platform::file_of(job.target), job.overrides));
}

std::uint64_t address_of(const Job& job) {
  return static_cast<std::uint64_t>(job.offset.count);
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
  if (job.operations.empty()) return {Maintenance::flush, Maintenance::invalidate};
  const std::vector<std::string> names(kMaintenance.begin(), kMaintenance.end());
  std::vector<Maintenance> operations;
  for (const std::string& name : job.operations) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) throw Error("--op: " + unknown_name("operation", name, names));
    operations.push_back(static_cast<Maintenance>(found - names.begin()));
  }
  return operations;
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

void core_copies(const Job& job, Target&, const Report& report) {
  const platform::SocSpec board = board_of(job);
  check_whole_lines(job, board, 2);
  std::vector<CopyTrial> trials;
  for (const MemoryType from : kBothTypes)
    for (const MemoryType to : kBothTypes)
      for (const Bytes size : job.sizes)
        trials.push_back(
            {.from = from, .to = to, .address = address_of(job), .bytes = static_cast<std::uint64_t>(size.count)});
  run_side_by_side(
      trials, [&](const CopyTrial& trial) { return run_trial(board, trial); },
      [&](const CopyTrial& trial, const CoreResult& result) {
        report(rate(trial.bytes, result.elapsed, result.verified,
                    {{"from", name_of(trial.from)}, {"to", name_of(trial.to)}}));
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
  run_side_by_side(
      trials, [&](const TransposeTrial& trial) { return run_trial(board, trial); },
      [&](const TransposeTrial& trial, const CoreResult& result) {
        report(rate(trial.bytes, result.elapsed, result.verified, {{"to", name_of(trial.to)}}));
      });
}

void maintenance(const Job& job, Target&, const Report& report) {
  const platform::SocSpec board = board_of(job);
  check_whole_lines(job, board, 1);
  check_maintenance(job, board);
  run_side_by_side(
      trials_of(job), [&](const MaintenanceTrial& trial) { return run_trial(board, trial); },
      [&](const MaintenanceTrial& trial, const CoreResult& result) {
        report(rate(trial.bytes, result.elapsed, result.verified,
                    {{"op", std::string(kMaintenance.at(static_cast<std::size_t>(trial.operation)))},
                     {"buffers", static_cast<std::int64_t>(trial.buffers)},
                     {"load", std::int64_t{trial.load}}}));
      });
}

}  // namespace isthmus::probes
