#include "hpcc/repetitions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "isthmus/base/interrupt.hpp"

namespace isthmus::hpcc {
namespace {

// Probes in a run: few enough that they take no longer than the work, and enough to know their spread.
constexpr int kProbes = 10;

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

/// The validation of all ranks; an error that is no number is infinitely wrong.
Validation validated(Benchmark& benchmark, const cluster::Ranks& ranks) {
  Validation mine = benchmark.validate();
  mine.error = ranks.largest(std::isnan(mine.error) ? std::numeric_limits<double>::infinity() : mine.error);
  return mine;
}

void keep_worse(Validation& worst, const Validation& found) {
  if (worst.what.empty() || found.error > worst.error) worst = found;
}

/// A random number from 1 to `most`, the same on all ranks.
int drawn(int most, const cluster::Ranks& ranks) {
  std::random_device device;
  std::uniform_int_distribution<int> any(1, most);
  return static_cast<int>(ranks.largest(ranks.first() ? any(device) : 0));
}

/// Repetitions until there are enough for a round, or the burn-in is over on any rank; whether it is.
bool play_round(Benchmark& benchmark, Job& job, int repetitions, double end, RepeatedRun& burned) {
  constexpr double kRound = 1;  // seconds, so that checking the results is short against the work
  const cluster::Ranks& ranks = job.ranks();
  Measurements round;
  const double begin = job.now();
  for (int count = 1;; ++count) {
    repeat(benchmark, job, round);
    ++burned.seen.repetitions;
    const bool over = ranks.largest(interrupted() || job.now() >= end ? 1.0 : 0.0) > 0;
    if (!over && (count < repetitions || ranks.largest(job.now() - begin) < kRound)) continue;
    const auto keep = [](const auto& columns, auto& kept, const auto& pick) {
      std::vector<double> row(columns.size());
      std::ranges::transform(columns, row.begin(), pick);
      append(kept, row);
    };
    keep(round.seconds, burned.measured.seconds, [](const auto& column) { return std::ranges::min(column); });
    keep(round.expected, burned.measured.expected, [](const auto& column) { return column.back(); });
    return over;
  }
}

}  // namespace

std::pair<double, double> repeat(Benchmark& benchmark, Job& job, Measurements& measured, bool probed) {
  benchmark.reset();
  job.forget_launches();
  const double begin = job.now();
  std::vector<double> seconds = benchmark.run();
  job.ranks().largest(seconds);
  const double end = job.now();
  append(measured.seconds, seconds);
  if (probed && job.has_probes()) append(measured.expected, probe(benchmark, job.ranks()));
  return {begin, end};
}

void warm_up(Benchmark& benchmark, Job& job) {
  Measurements forgotten;
  repeat(benchmark, job, forgotten);
}

RepeatedRun measure(Benchmark& benchmark, Job& job, int repetitions, const Listener& listener) {
  RepeatedRun done;
  const int looked_at = drawn(repetitions, job.ranks());
  for (int number = 1; number <= repetitions; ++number) {
    const bool probed = number * kProbes / repetitions > (number - 1) * kProbes / repetitions;
    const auto [begin, end] = repeat(benchmark, job, done.measured, probed);
    if (number == looked_at || number == repetitions) keep_worse(done.worst, validated(benchmark, job.ranks()));
    if (listener.on_repetition)
      listener.on_repetition({.number = number, .total = repetitions, .begin = begin, .end = end});
  }
  return done;
}

RepeatedRun burn_in(Benchmark& benchmark, Job& job, int repetitions, double wanted, const Listener& listener) {
  RepeatedRun burned;
  const double start = job.now();
  const int total = static_cast<int>(std::ceil(wanted));
  for (bool over = false; !over;) {
    const double begin = job.now();
    over = play_round(benchmark, job, repetitions, start + wanted, burned);
    const double end = job.now();
    const Validation found = validated(benchmark, job.ranks());
    burned.seen.wrong += found.passed() ? 0 : 1;
    keep_worse(burned.worst, found);
    burned.seen.ends.push_back(end - start);
    const int done = over ? total : std::min(total, static_cast<int>(end - start));
    if (listener.on_repetition) listener.on_repetition({.number = done, .total = total, .begin = begin, .end = end});
  }
  burned.seen.seconds = burned.seen.ends.back();
  burned.seen.cut_short = burned.seen.seconds < wanted;
  return burned;
}

}  // namespace isthmus::hpcc
