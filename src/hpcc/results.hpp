#pragma once

#include <vector>

#include "hpcc/repetitions.hpp"

/// The result of repetitions for each metric, and whether it is possible.
namespace isthmus::hpcc {

std::vector<Result> results_of(const Benchmark& benchmark, const Measurements& measured, const Others& others);

/// A wrong count of work gives rates that no device has: they are refused, not reported. A noisy machine may have
/// slowed the few probes down, so before that both are measured again, in turn: what slows one slows the other.
void refuse_impossible(std::vector<Result>& results, Benchmark& benchmark, Job& job, Measurements& measured);

}  // namespace isthmus::hpcc
