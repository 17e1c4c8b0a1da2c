#pragma once

#include <utility>
#include <vector>

#include "isthmus/hpcc/run.hpp"

/// A benchmark's repetitions on all ranks: timed, probed between them, and looked at.
namespace isthmus::hpcc {

/// The repetitions of every metric: seconds of the slowest rank, and what the probes let expect of this one.
struct Measurements {
  std::vector<std::vector<double>> seconds{};
  std::vector<std::vector<double>> expected{};
};

/// What they have given. The validation is that of the worst repetition of those that were looked at.
struct RepeatedRun {
  Measurements measured;
  Validation worst;
  BurnIn seen{};
};

/// One repetition, appended to what was measured, and when it began and ended.
std::pair<double, double> repeat(Benchmark& benchmark, Job& job, Measurements& measured, bool probed = true);

/// The first repetition warms caches, queues and pages.
void warm_up(Benchmark& benchmark, Job& job);

/// So many repetitions. The results of the last are looked at, and of one more, drawn at random, so that no kernel
/// knows which.
RepeatedRun measure(Benchmark& benchmark, Job& job, int repetitions, const Listener& listener);

/// Rounds of `repetitions`, and of a second at least, until `wanted` seconds are over; after each its results are
/// checked. A round's sample is its best repetition.
RepeatedRun burn_in(Benchmark& benchmark, Job& job, int repetitions, double wanted, const Listener& listener);

}  // namespace isthmus::hpcc
