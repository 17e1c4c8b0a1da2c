#include "probes/shared.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "isthmus/base/error.hpp"
#include "probes/loopback.hpp"
#include "probes/named.hpp"
#include "probes/pointer_walk.hpp"
#include "probes/shared_trial.hpp"

namespace isthmus::probes {
namespace {

using Kind = fabric::LineAccess::Kind;

/// Four lines: the longest request of the interface (Intel manual 683193, 1.3).
constexpr Bytes kMostBurst{256};

/// Lines of a loopback, as gemieux2018 has them.
constexpr std::uint64_t kMostLooped = 65535;

/// Walks side by side: more than a port's reads under way.
constexpr int kWalks = 64;

platform::Description board_of(const Job& job) {
  platform::Description board = platform::load(platform::file_of(job.target), job.overrides);
  platform::require(board, "a circuit's accesses to shared memory", platform::kSharedNeeds);
  return board;
}

/// The starts that were asked for, of those that the probe has; else its own.
std::vector<Start> starts_of(const Job& job, std::string_view probe, const std::vector<Start>& allowed) {
  if (job.starts.empty()) return {allowed.front()};
  return named<Start>(job.starts, allowed, kStarts, fmt::format("{}: --start", probe), "start");
}

/// A probe's trials on one board.
class Trials {
 public:
  Trials(const Job& job, const Report& report)
      : job_(job), report_(report), board_(board_of(job)), spec_(platform::shared_spec(board_)) {}

  /// The channels that were asked for; else the coherent one, or all that a circuit may name.
  std::vector<std::string> ways(bool all) const {
    if (job_.channels.empty()) return all ? platform::ways_of(spec_) : std::vector{spec_.channels.front()};
    for (const std::string& channel : job_.channels) platform::way_named(spec_, channel);
    return job_.channels;
  }

  /// Each phase of so many accesses, and all of them together, in ns.
  void latencies(const Trial& trial) const {
    const TrialResult result = run_trial(board_, trial);
    if (trial.way != spec_.channels.front()) return phase(trial, result, "all", &AccessTimes::begin, &AccessTimes::end);
    phase(trial, result, "translation", &AccessTimes::begin, &AccessTimes::looked_up);
    phase(trial, result, "access", &AccessTimes::looked_up, &AccessTimes::came_back);
    phase(trial, result, "reordering", &AccessTimes::came_back, &AccessTimes::end);
    phase(trial, result, "all", &AccessTimes::begin, &AccessTimes::end);
  }

  void rates(Trial trial) const {
    for (const Bytes size : job_.sizes) {
      trial.lines = lines_of("--sizes", size);
      for (const int burst : bursts()) {
        trial.burst = burst;
        if (static_cast<std::uint64_t>(burst) <= trial.lines) rate(trial, size);
      }
    }
  }

  /// One at a time, and many side by side.
  void pointer_walks(const std::string& way, Start start) const {
    for (const Bytes size : job_.sizes) {
      const std::uint64_t lines = lines_of("--sizes", size);
      for (const Structure structure : {Structure::list, Structure::hash_table})
        for (const int at_once : {1, kWalks})
          if (static_cast<std::uint64_t>(at_once) <= lines)
            pointer_walk({.structure = structure, .start = start, .way = way, .lines = lines, .at_once = at_once},
                         size);
    }
  }

  /// Begun by the circuit, and by the core.
  void loopbacks(const std::string& way) const {
    for (const Bytes size : job_.sizes) {
      const std::uint64_t lines = lines_of("--sizes", size);
      if (lines > kMostLooped) continue;
      for (const bool by_circuit : {true, false}) {
        Finding finding{.quantity = "latency", .unit = "ns", .size = size};
        finding.parameters.emplace_back("channel", way);
        finding.parameters.emplace_back("started_by", std::string(by_circuit ? "fpga" : "cpu"));
        for (int i = 0; i < job_.samples; ++i) {
          finding.times.push_back(run_loopback(board_, {.way = way, .by_circuit = by_circuit, .lines = lines}));
          finding.samples.push_back(static_cast<double>(finding.times.back().femtoseconds()) / 1e6);
        }
        report_(finding);
      }
    }
  }

 private:
  std::int64_t line() const { return spec_.coherence.line; }

  std::uint64_t lines_of(std::string_view option, Bytes size) const {
    if (size.count == 0 || size.count % line() != 0)
      throw Error(
          fmt::format("{}: expected multiples of a line of {} B (cache.line), got {} B", option, line(), size.count));
    return static_cast<std::uint64_t>(size.count / line());
  }

  /// Lines of a request.
  std::vector<int> bursts() const {
    if (job_.bursts.empty()) return {1};
    std::vector<int> bursts;
    for (const Bytes burst : job_.bursts) {
      if (burst.count > kMostBurst.count)
        throw Error(fmt::format("--burst: expected at most {} B a request, got {} B", kMostBurst.count, burst.count));
      bursts.push_back(static_cast<int>(lines_of("--burst", burst)));
    }
    return bursts;
  }

  void rate(const Trial& trial, Bytes size) const {
    Finding finding = finding_of("bandwidth", "GB/s", size, trial);
    finding.parameters.emplace_back("burst", trial.burst * line());
    for (int i = 0; i < job_.samples; ++i) {
      TrialResult result = run_trial(board_, trial);
      finding.samples.push_back(static_cast<double>(size.count) / result.elapsed.seconds() * 1e-9);
      finding.times.push_back(result.elapsed);
      finding.requests = std::move(result.requests);
    }
    report_(finding);
  }

  void pointer_walk(const PointerWalk& walk, Bytes size) const {
    Finding finding{.quantity = "latency", .unit = "ns", .size = size};
    finding.parameters = {{"structure", std::string(kStructures.at(static_cast<std::size_t>(walk.structure)))},
                          {"walks", std::int64_t{walk.at_once}},
                          {"channel", walk.way},
                          {"start", std::string(kStarts.at(static_cast<std::size_t>(walk.start)))}};
    finding.times = run_pointer_walk(board_, walk);
    for (const Time time : finding.times) finding.samples.push_back(static_cast<double>(time.femtoseconds()) / 1e6);
    report_(finding);
  }

  Finding finding_of(const char* quantity, const char* unit, Bytes size, const Trial& trial) const {
    Finding finding{.quantity = quantity, .unit = unit, .size = size};
    finding.parameters.emplace_back("access", trial.kind == Kind::write ? "write" : "read");
    finding.parameters.emplace_back("channel", trial.way);
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
  platform::SharedSpec spec_;
};

void latencies(const Job& job, const Report& report, const std::vector<Start>& starts) {
  const Trials trials(job, report);
  for (const std::string& way : trials.ways(false))
    for (const Start start : starts)
      for (const Kind kind : {Kind::read, Kind::write})
        trials.latencies({.kind = kind,
                          .start = start,
                          .way = way,
                          .lines = static_cast<std::uint64_t>(job.samples),
                          .one_by_one = true});
}

void rates(const Job& job, const Report& report, std::string_view name, Kind kind) {
  const Trials trials(job, report);
  for (const std::string& way : trials.ways(true))
    for (const Start start : starts_of(job, name, {Start::flushed, Start::cold, Start::warm}))
      trials.rates({.kind = kind, .start = start, .way = way});
}

/// Refuses a channel on which no access hits.
void require_a_cache(const Job& job) {
  const platform::SharedSpec spec = platform::shared_spec(board_of(job));
  for (const std::string& channel : job.channels) {
    const std::uint8_t way = platform::way_named(spec, channel);
    if (way != platform::kCoherentWay && way != fabric::kAnyChannel)
      throw Error(
          fmt::format("--channel {}: expected {} of cache-hit, because a PCIe channel never looks into the "
                      "FPGA's cache",
                      channel, spec.channels.front()));
  }
}

}  // namespace

void cache_hits(const Job& job, Target&, const Report& report) {
  require_a_cache(job);
  latencies(job, report, starts_of(job, "cache-hit", {Start::warm}));
}

void cache_misses(const Job& job, Target&, const Report& report) {
  latencies(job, report, starts_of(job, "cache-miss", {Start::flushed, Start::cold}));
}

void loopbacks(const Job& job, Target&, const Report& report) {
  const Trials trials(job, report);
  for (const std::string& way : trials.ways(true)) trials.loopbacks(way);
}

void pointer_walks(const Job& job, Target&, const Report& report) {
  const Trials trials(job, report);
  for (const std::string& way : trials.ways(false))
    for (const Start start : starts_of(job, "pointer-walk", {Start::flushed, Start::cold, Start::warm}))
      trials.pointer_walks(way, start);
}

void shared_reads(const Job& job, Target&, const Report& report) {
  rates(job, report, "shared-read", Kind::read);
}

void shared_writes(const Job& job, Target&, const Report& report) {
  rates(job, report, "shared-write", Kind::write);
}

}  // namespace isthmus::probes
