#include "probes/software.hpp"

#include "probes/copy_trial.hpp"
#include "probes/side_by_side.hpp"
#include "probes/whole_lines.hpp"

namespace isthmus::probes {
namespace {

using fabric::MemoryType;

constexpr std::array kBothTypes = {MemoryType::cacheable, MemoryType::noncacheable};

std::string name_of(MemoryType type) {
  return std::string(kMemoryTypes.at(static_cast<std::size_t>(type)));
}

void tell_of_copy(const CopyTrial& trial, const CopyResult& result, const Report& report) {
  const auto size = static_cast<std::int64_t>(trial.bytes);
  report({.quantity = "bandwidth",
          .unit = "GB/s",
          .size = {size},
          .parameters = {{"from", name_of(trial.from)}, {"to", name_of(trial.to)}},
          .samples = {static_cast<double>(size) / result.elapsed.seconds() * 1e-9},
          .times = {result.elapsed},
          .verified = result.verified});
}

}  // namespace

void core_copies(const Job& job, Target&, const Report& report) {
  const platform::SocSpec board = platform::soc_spec(platform::load(platform::file_of(job.target), job.settings));
  check_whole_lines(job, board, 2);
  std::vector<CopyTrial> trials;
  for (const MemoryType from : kBothTypes)
    for (const MemoryType to : kBothTypes)
      for (const Bytes size : job.sizes)
        trials.push_back({.from = from,
                          .to = to,
                          .address = static_cast<std::uint64_t>(job.offset.count),
                          .bytes = static_cast<std::uint64_t>(size.count)});
  run_side_by_side(
      trials, [&](const CopyTrial& trial) { return run_trial(board, trial); },
      [&](const CopyTrial& trial, const CopyResult& result) { tell_of_copy(trial, result, report); });
}

}  // namespace isthmus::probes
