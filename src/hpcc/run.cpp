#include "isthmus/hpcc/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <sstream>

#include "hpcc/setting.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"
#include "isthmus/base/load.hpp"
#include "isthmus/base/summary.hpp"
#include "isthmus/cluster/scheme.hpp"

namespace isthmus::hpcc {
namespace {

constexpr int kRepetitions = 10;  // as STREAM v5.10 does
constexpr std::int64_t kProbes =
    10;  // of a run, so that they take no longer than the work; enough to know their spread
// Before a rate is refused: other programs may have slowed the probes down, for a while.
constexpr int kTrials = 10;
constexpr double kPatience = 3;  // seconds

double value_of(const Metric& metric, double seconds) {
  return metric.less_is_better() ? metric.work * seconds : metric.work / seconds;
}

double best_of(const Metric& metric, const std::vector<double>& samples) {
  return metric.less_is_better() ? std::ranges::min(samples) : std::ranges::max(samples);
}

/// The repetitions of every metric: seconds of the slowest rank, and what the probes let expect of this one.
struct Measured {
  std::vector<std::vector<double>> seconds;
  std::vector<std::vector<double>> expected;
};

void append(std::vector<std::vector<double>>& columns, const std::vector<double>& row) {
  columns.resize(std::max(columns.size(), row.size()));
  for (std::size_t index = 0; index < row.size(); ++index) columns[index].push_back(row[index]);
}

/// The slowest rank sets the pace, so the probe of the slowest bounds it.
std::vector<double> probe(Benchmark& benchmark, const cluster::Ranks& ranks) {
  std::vector<double> expected = benchmark.probe();
  for (double& value : expected) value = -value;
  ranks.largest(expected);
  for (double& value : expected) value = -value;
  return expected;
}

/// Other programs of this host read the same clock.
double monotonic() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// One repetition, appended to what was measured, and when it began and ended.
std::pair<double, double> repeat(Benchmark& benchmark, Job& job, Measured& measured, bool probed = true) {
  benchmark.reset();
  job.forget_launches();
  const double begin = monotonic();
  std::vector<double> seconds = benchmark.run();
  job.ranks().largest(seconds);
  const double end = monotonic();
  append(measured.seconds, seconds);
  if (probed && job.has_probes()) append(measured.expected, probe(benchmark, job.ranks()));
  return {begin, end};
}

/// The first repetition warms caches, queues and pages.
void warm_up(Benchmark& benchmark, Job& job) {
  Measured forgotten;
  repeat(benchmark, job, forgotten);
}

Measured measure(Benchmark& benchmark, Job& job, int repetitions, const Listener& listener) {
  Measured measured;
  for (int number = 1; number <= repetitions; ++number) {
    const bool probed = number * kProbes / repetitions > (number - 1) * kProbes / repetitions;
    const auto [begin, end] = repeat(benchmark, job, measured, probed);
    if (listener.on_repetition)
      listener.on_repetition({.number = number, .total = repetitions, .begin = begin, .end = end});
  }
  return measured;
}

Validation agreed(Validation mine, const cluster::Ranks& ranks) {
  mine.error = ranks.largest(std::isnan(mine.error) ? std::numeric_limits<double>::infinity() : mine.error);
  return mine;
}

/// What a burn-in has measured: of each round the best repetition; the validation is that of its worst round.
struct Burned {
  BurnIn seen;
  Measured rounds;
  Validation worst;
};

/// Repetitions until there are enough for a round, or the burn-in is over on any rank; whether it is.
bool play_round(Benchmark& benchmark, Job& job, int repetitions, double end, Burned& burned) {
  constexpr double kRound = 1;  // seconds, so that looking at the results is little beside the work
  const cluster::Ranks& ranks = job.ranks();
  Measured round;
  const double begin = monotonic();
  for (int count = 1;; ++count) {
    repeat(benchmark, job, round);
    ++burned.seen.repetitions;
    const bool over = ranks.largest(interrupted() || monotonic() >= end ? 1.0 : 0.0) > 0;
    if (!over && (count < repetitions || ranks.largest(monotonic() - begin) < kRound)) continue;
    const auto keep = [](const auto& columns, auto& kept, const auto& pick) {
      std::vector<double> row(columns.size());
      std::ranges::transform(columns, row.begin(), pick);
      append(kept, row);
    };
    keep(round.seconds, burned.rounds.seconds, [](const auto& column) { return std::ranges::min(column); });
    keep(round.expected, burned.rounds.expected, [](const auto& column) { return column.back(); });
    return over;
  }
}

Burned burn_in(Benchmark& benchmark, Job& job, int repetitions, double wanted, const Listener& listener) {
  Burned burned;
  const double start = monotonic();
  const int total = static_cast<int>(std::ceil(wanted));
  for (bool over = false; !over;) {
    const double begin = monotonic();
    over = play_round(benchmark, job, repetitions, start + wanted, burned);
    const double end = monotonic();
    const Validation found = agreed(benchmark.validate(), job.ranks());
    burned.seen.wrong += found.passed() ? 0 : 1;
    if (burned.seen.ends.empty() || found.error > burned.worst.error || !found.passed()) burned.worst = found;
    burned.seen.ends.push_back(end - start);
    const int done = over ? total : std::min(total, static_cast<int>(end - start));
    if (listener.on_repetition) listener.on_repetition({.number = done, .total = total, .begin = begin, .end = end});
  }
  burned.seen.seconds = burned.seen.ends.back();
  burned.seen.cut_short = burned.seen.seconds < wanted;
  return burned;
}

std::optional<Expectation> expectation(const Metric& metric, const std::vector<double>& probes) {
  if (probes.empty() || std::ranges::any_of(probes, [](double each) { return std::isnan(each); })) return {};
  const auto [least, most] = std::ranges::minmax(probes);
  return Expectation{.value = best_of(metric, probes), .spread = (most - least) / most};
}

Result summarise(const Metric& metric, std::vector<double> samples) {
  const Summary summary = isthmus::summarise(samples);
  Result result{
      .metric = metric, .value = best_of(metric, samples), .median = summary.median, .spread = summary.spread};
  result.samples = std::move(samples);
  return result;
}

std::optional<Expectation> mean_expectation(const Metric& metric, const std::vector<Result>& parts) {
  Expectation mean;
  for (const std::size_t part : metric.mean_of) {
    const auto& expected = parts[part].expected;
    if (!expected) return {};
    mean.value += expected->value / static_cast<double>(metric.mean_of.size());
    mean.spread = std::max(mean.spread, expected->spread);
  }
  return mean;
}

/// Equation 4.1: of the best of each part; each sample is that of one repetition.
Result mean_of(const Metric& metric, const std::vector<Result>& parts) {
  std::vector<double> samples(parts[metric.mean_of.front()].samples.size());
  double best = 0;
  for (const std::size_t part : metric.mean_of) {
    best += parts[part].value / static_cast<double>(metric.mean_of.size());
    for (std::size_t index = 0; index < samples.size(); ++index)
      samples[index] += parts[part].samples[index] / static_cast<double>(metric.mean_of.size());
  }
  Result result = summarise(metric, std::move(samples));
  result.value = best;
  result.expected = mean_expectation(metric, parts);
  return result;
}

std::vector<Result> results_of(const Benchmark& benchmark, const Measured& measured) {
  std::vector<Result> results;
  for (const Metric& metric : benchmark.metrics()) {
    if (!metric.mean_of.empty()) {
      results.push_back(mean_of(metric, results));
      continue;
    }
    const std::size_t index = results.size();
    std::vector<double> samples;
    for (const double seconds : measured.seconds.at(index)) samples.push_back(value_of(metric, seconds));
    results.push_back(summarise(metric, std::move(samples)));
    results.back().seconds = measured.seconds[index];
    if (index < measured.expected.size()) results.back().expected = expectation(metric, measured.expected[index]);
  }
  return results;
}

/// A wrong count of work gives rates that no device has: they are refused, not reported. A noisy machine may have
/// slowed the few probes down, so before that both are measured again, in turn: what slows one slows the other.
void refuse_impossible(std::vector<Result>& results, Benchmark& benchmark, Job& job, Measured& measured) {
  const auto impossible = [](const Result& result) { return result.value > result.bound(); };
  const double begin = monotonic();
  const auto patient = [&](int trial) {
    return trial < kTrials || job.ranks().largest(monotonic() - begin) < kPatience;
  };
  Measured judged = measured;
  std::vector<Result> found = results;
  for (int trial = 0; std::ranges::any_of(found, impossible) && patient(trial); ++trial) {
    repeat(benchmark, job, judged);
    found = results_of(benchmark, judged);
  }
  if (const auto refused = std::ranges::find_if(found, impossible); refused != found.end())
    throw cluster::AgreedError(
        fmt::format("{}: {:.4g} {} is more than the {:.4g} that this device's own probes allow: the work or the "
                    "replications are not what the parameters say",
                    refused->metric.name, refused->value, refused->metric.unit, refused->bound()));
  measured.expected = judged.expected;
  results = results_of(benchmark, measured);
}

/// Those of all ranks, by rank.
std::vector<Launch> launches_of(const Job& job) {
  std::string mine;
  for (const Launch& each : job.launches())
    mine += fmt::format("{} {} {} {}\n", each.metric, each.replication, each.span.start, each.span.end);
  std::vector<Launch> all;
  int rank = 0;
  for (const std::string& text : job.ranks().gather(mine)) {
    std::istringstream words(text);
    Launch each{.rank = rank++};
    while (words >> each.metric >> each.replication >> each.span.start >> each.span.end) all.push_back(each);
  }
  return all;
}

/// What others than the ranks took of the cores of a host.
std::optional<double> load_on_hosts(const LoadMeter& meter, const cluster::Ranks& ranks) {
  std::string mine;
  if (const auto use = meter.use())
    mine = fmt::format("{} {} {} {} {} {}", use->units.size(), fmt::join(use->units, " "), use->usable, use->elapsed,
                       use->busy, use->own);
  std::vector<CoreUse> uses;
  for (const std::string& text : ranks.on_this_host().gather(mine)) {
    std::istringstream words(text);
    std::size_t units = 0;
    CoreUse use;
    if (words >> units) use.units.resize(units);
    for (int& unit : use.units) words >> unit;
    if (words >> use.usable >> use.elapsed >> use.busy >> use.own) uses.push_back(std::move(use));
  }
  const double most = ranks.largest(uses.empty() ? -1 : load_of(uses));
  if (most < 0) return {};
  return most;
}

std::string parameters_from(const Request& request) {
  if (!request.parameters_from.empty()) return request.parameters_from;
  if (!request.binary.empty()) return request.binary + ".json";
  return request.settings.empty() ? "defaults" : "set";
}

/// The request as its binary was compiled, which decides on the variant of the kernels.
Request as_compiled(Request request, const SideFile& side) {
  if (!request.variant.empty() && request.variant != side.variant)
    throw Error(fmt::format("--variant {}: the binary has {} ({})", request.variant, side.variant, side.file));
  request.variant = side.variant;
  request.shape = side.shape;
  return request;
}

std::unique_ptr<Job> make_job(const Request& request, const Placement& placement, const cluster::Ranks& ranks) {
  const Entry& entry = entry_of(request.benchmark);
  if (!request.scheme.empty()) cluster::require_scheme(request.scheme);
  Job::Parts parts{.device = placement.device, .ranks = ranks, .binary = request.binary};
  if (!request.binary.empty()) {
    parts.side_file = SideFile::beside(request.binary);
    parts.side_file->require(request.benchmark, placement.device.properties());
  }
  const Request whole = parts.side_file ? as_compiled(request, *parts.side_file) : request;
  parts.setting = setting_of(whole, placement.device.properties(), ranks.size());
  const std::vector<ParameterSpec> specs = entry.parameters(parts.setting);
  parts.parameters =
      Parameters(specs, parts.side_file ? parts.side_file->settings(specs, request.settings) : request.settings);
  parts.grid =
      request.grid.empty() ? cluster::nearest_grid(ranks.size()) : cluster::parse_grid(request.grid, ranks.size());
  parts.scheme = request.scheme;
  parts.kernel_file = request.kernel_file;
  return std::make_unique<Job>(request.benchmark, std::move(parts));
}

void refuse_unused(const Request& request, const Job& job) {
  if (!request.kernel_file.empty() && job.kernel_file().empty())
    throw Error(fmt::format("--kernel {}: benchmark '{}' has no kernel", request.kernel_file, request.benchmark));
  if (!request.scheme.empty() && job.used_scheme().empty())
    throw Error(
        fmt::format("--scheme {}: ranks of benchmark '{}' exchange nothing", request.scheme, request.benchmark));
}

}  // namespace

std::optional<double> Result::efficiency() const {
  if (!expected) return {};
  return metric.less_is_better() ? expected->value / value : value / expected->value;
}

double Result::bound() const {
  // Seconds; what lasts less is the scheduler's and the clock's as much as the device's.
  constexpr double kLongEnough = 1e-3;
  if (!expected || seconds.empty() || metric.less_is_better() || std::ranges::min(seconds) <= kLongEnough)
    return std::numeric_limits<double>::infinity();
  return expected->value * (1 + expected->spread + spread);
}

Outcome run(const Request& request, const cluster::Ranks& ranks, const Listener& listener) {
  const LoadMeter meter;
  Placement placement = place(request, ranks);
  if (listener.on_places) listener.on_places(placement.places);
  std::unique_ptr<Job> job;
  std::unique_ptr<Benchmark> benchmark;
  ranks.agree([&] {
    job = make_job(request, placement, ranks);
    if (request.seconds > 0) job->finish_repetitions();
    benchmark = entry_of(request.benchmark).make(*job);
  });
  benchmark->connect();
  ranks.agree([&] { refuse_unused(request, *job); });
  const int repetitions = request.repetitions > 0 ? request.repetitions : kRepetitions;
  warm_up(*benchmark, *job);
  Burned burned;
  if (request.seconds > 0) {
    burned = burn_in(*benchmark, *job, repetitions, request.seconds, listener);
  } else {
    burned.rounds = measure(*benchmark, *job, repetitions, listener);
    burned.worst = agreed(benchmark->validate(), ranks);
  }
  Measured& measured = burned.rounds;
  Outcome outcome{.results = results_of(*benchmark, measured),
                  .validation = burned.worst,
                  .model = benchmark->model(),
                  .setting = job->setting(),
                  .parameters = job->parameters().all(),
                  .parameters_from = parameters_from(request),
                  .kernel_file = job->kernel_file(),
                  .scheme = job->used_scheme(),
                  .grid = job->grid(),
                  .places = placement.places,
                  .launches = launches_of(*job)};
  outcome.load = load_on_hosts(meter, ranks);
  if (request.seconds > 0) outcome.burn_in = burned.seen;
  outcome.shared = std::ranges::any_of(outcome.places, &Place::shared);
  // Ranks that share a device are timed in turns that no probe foresees.
  if (outcome.validation.passed() && !outcome.shared) refuse_impossible(outcome.results, *benchmark, *job, measured);
  return outcome;
}

}  // namespace isthmus::hpcc
