#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace isthmus::bench {

/// The processor time of this process in seconds: what other programs on the machine take is not in it.
double processor_seconds();

/// What a run of a workload took, set-up apart.
struct Measurement {
  double seconds = 0;
  std::uint64_t tokens = 0;       ///< at least as many as were asked for
  std::uint64_t checksum = 0;     ///< what the tokens came to
  std::uint64_t expected = 0;     ///< what they have to come to
  std::uint64_t actor_bytes = 0;  ///< resident memory an actor, where the workload measures it
};

/// Moves at least this many tokens.
using Workload = std::function<Measurement(std::uint64_t tokens)>;

/// The main of a program of workloads, `PROGRAM WORKLOAD TOKENS`: prints one JSON object with `seconds`, `tokens`,
/// `actor_bytes` and `made_by`, the software that did the work. Exit code 2 and one line on stderr where the arguments
/// or the checksum are wrong.
int run_workload(int argc, char** argv, const std::string& made_by, const std::map<std::string, Workload>& workloads);

/// The sum over i < n of 3 i + 1, modulo 2^64: what the sink of the 3-stage pipeline has to find.
std::uint64_t pipeline_sum(std::uint64_t n);

}  // namespace isthmus::bench
