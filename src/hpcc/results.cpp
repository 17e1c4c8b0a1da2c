#include "hpcc/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "isthmus/base/summary.hpp"

namespace isthmus::hpcc {
namespace {

// Before a rate is refused: other programs may have slowed the probes down, for a while.
constexpr int kTrials = 10;
constexpr double kPatience = 3;  // seconds

double value_of(const Metric& metric, double seconds) {
  return metric.less_is_better() ? metric.work * seconds : metric.work / seconds;
}

double best_of(const Metric& metric, const std::vector<double>& samples) {
  return metric.less_is_better() ? std::ranges::min(samples) : std::ranges::max(samples);
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

}  // namespace

std::vector<Result> results_of(const Benchmark& benchmark, const Measurements& measured, const Others& others) {
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
  for (Result& result : results) result.others = others;
  return results;
}

void refuse_impossible(std::vector<Result>& results, Benchmark& benchmark, Job& job, Measurements& measured) {
  const auto impossible = [](const Result& result) { return result.value > result.bound(); };
  const Others others = results.front().others;
  const double begin = job.now();
  const auto patient = [&](int trial) { return trial < kTrials || job.ranks().largest(job.now() - begin) < kPatience; };
  Measurements judged = measured;
  std::vector<Result> found = results;
  for (int trial = 0; std::ranges::any_of(found, impossible) && patient(trial); ++trial) {
    repeat(benchmark, job, judged);
    found = results_of(benchmark, judged, others);
  }
  if (const auto refused = std::ranges::find_if(found, impossible); refused != found.end())
    throw cluster::AgreedError(
        fmt::format("{}: {:.4g} {} is more than the {:.4g} that this device's own probes allow: the work or the "
                    "replications are not what the parameters say",
                    refused->metric.name, refused->value, refused->metric.unit, refused->bound()));
  measured.expected = judged.expected;
  results = results_of(benchmark, measured, others);
}

std::optional<double> Result::efficiency() const {
  if (!expected) return {};
  return metric.less_is_better() ? expected->value / value : value / expected->value;
}

std::optional<double> Result::expected_seconds() const {
  if (!expected || seconds.empty() || metric.less_is_better()) return {};
  return metric.work / expected->value;
}

bool Result::judged() const {
  // Seconds; what lasts less is the scheduler's and the clock's as much as the device's. Where others want the cores,
  // or ranks the device, a step may wait until some of their time slices are over.
  constexpr double kLongEnough = 1e-3;
  constexpr double kTimeSlices = 20e-3;
  constexpr double kBusy = 0.25;
  const bool alone = others.load < kBusy && others.sharers == 1;
  return expected_seconds().value_or(0) >= (alone ? kLongEnough : kTimeSlices) * metric.steps;
}

double Result::bound() const {
  if (!expected || !judged()) return std::numeric_limits<double>::infinity();
  // Other programs take a part of the time of some repetitions; a few that skip the work spread the rates without end.
  constexpr double kMostSpread = 1;
  constexpr double kMostLoad = 0.5;  // so that what skips all of its work is refused on any machine
  // Two kernels that move the same bytes differ by what their instructions make of the memory: STREAM's Add was 3 %
  // above a probe that goes through the same arrays in the same steps.
  constexpr double kOfInstructions = 0.05;
  return expected->value * others.sharers * (1 + kOfInstructions + expected->spread + std::min(spread, kMostSpread)) /
         (1 - std::min(others.load, kMostLoad));
}

}  // namespace isthmus::hpcc
