#include "probes/shared.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"
#include "probes/shared_trial.hpp"

namespace isthmus::probes {
namespace {

using Kind = fabric::LineAccess::Kind;

platform::Description board_of(const Job& job) {
  platform::Description board = platform::load(platform::file_of(job.target), job.settings);
  platform::require(board, "a circuit's accesses to shared memory", platform::kSharedNeeds);
  return board;
}

/// Those that were asked for, of those that the probe has; else its own.
std::vector<Start> starts_of(const Job& job, std::string_view probe, const std::vector<Start>& allowed) {
  if (job.starts.empty()) return {allowed.front()};
  std::vector<std::string> names;
  names.reserve(allowed.size());
  for (const Start start : allowed) names.emplace_back(kStarts.at(static_cast<std::size_t>(start)));
  std::vector<Start> starts;
  for (const std::string& name : job.starts) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) throw Error(fmt::format("--start: {} of {}", unknown_name("start", name, names), probe));
    starts.push_back(allowed[static_cast<std::size_t>(found - names.begin())]);
  }
  return starts;
}

/// A probe's trials on one board.
class Trials {
 public:
  Trials(const Job& job, const Report& report)
      : job_(job), report_(report), board_(board_of(job)), channel_(board_.the("qpi").channel()) {}

  std::int64_t line() const { return board_.the("cache").bytes("line").count; }

  /// Each phase of so many accesses, and all of them together, in ns.
  void latencies(const Trial& trial) const {
    const TrialResult result = run_trial(board_, trial);
    phase(trial, result, "translation", &AccessTimes::begin, &AccessTimes::looked_up);
    phase(trial, result, "access", &AccessTimes::looked_up, &AccessTimes::came_back);
    phase(trial, result, "reordering", &AccessTimes::came_back, &AccessTimes::end);
    phase(trial, result, "all", &AccessTimes::begin, &AccessTimes::end);
  }

  void rates(Kind kind, Start start) const {
    for (const Bytes size : job_.sizes) {
      if (size.count == 0 || size.count % line() != 0)
        throw Error(
            fmt::format("--sizes: expected multiples of a line of {} B (cache.line), got {} B", line(), size.count));
      const Trial trial{.kind = kind, .start = start, .lines = static_cast<std::uint64_t>(size.count / line())};
      Finding finding = finding_of("bandwidth", "GB/s", size, trial);
      for (int i = 0; i < job_.samples; ++i) {
        const Time took = run_trial(board_, trial).elapsed;
        finding.samples.push_back(static_cast<double>(size.count) / took.seconds() * 1e-9);
        finding.times.push_back(took);
      }
      report_(finding);
    }
  }

 private:
  Finding finding_of(const char* quantity, const char* unit, Bytes size, const Trial& trial) const {
    Finding finding{.quantity = quantity, .unit = unit, .size = size, .parameters = {}, .samples = {}, .times = {}};
    finding.parameters.emplace_back("access", trial.kind == Kind::write ? "write" : "read");
    finding.parameters.emplace_back("channel", channel_);
    finding.parameters.emplace_back("start", std::string(kStarts.at(static_cast<std::size_t>(trial.start))));
    return finding;
  }

  void phase(const Trial& trial, const TrialResult& result, const char* name, Time AccessTimes::*from,
             Time AccessTimes::*to) const {
    Finding finding = finding_of("latency", "ns", {line()}, trial);
    finding.parameters.emplace_back("phase", name);
    for (const AccessTimes& access : result.each) {
      finding.times.push_back(access.*to - access.*from);
      finding.samples.push_back(static_cast<double>(finding.times.back().femtoseconds()) / 1e6);
    }
    report_(finding);
  }

  const Job& job_;
  const Report& report_;
  platform::Description board_;
  std::string channel_;
};

void latencies(const Job& job, const Report& report, const std::vector<Start>& starts) {
  const Trials trials(job, report);
  for (const Start start : starts)
    for (const Kind kind : {Kind::read, Kind::write})
      trials.latencies(
          {.kind = kind, .start = start, .lines = static_cast<std::uint64_t>(job.samples), .one_by_one = true});
}

template <class Ask>
void rates(const Job& job, const Report& report, std::string_view name, const Ask& ask) {
  const Trials trials(job, report);
  for (const Start start : starts_of(job, name, {Start::flushed, Start::cold, Start::warm})) ask(trials, start);
}

}  // namespace

void cache_hits(const Job& job, Target&, const Report& report) {
  latencies(job, report, starts_of(job, "cache-hit", {Start::warm}));
}

void cache_misses(const Job& job, Target&, const Report& report) {
  latencies(job, report, starts_of(job, "cache-miss", {Start::flushed, Start::cold}));
}

void shared_reads(const Job& job, Target&, const Report& report) {
  rates(job, report, "shared-read", [](const Trials& trials, Start start) { trials.rates(Kind::read, start); });
}

void shared_writes(const Job& job, Target&, const Report& report) {
  rates(job, report, "shared-write", [](const Trials& trials, Start start) { trials.rates(Kind::write, start); });
}

}  // namespace isthmus::probes
