#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace isthmus::bench {

/// A program beside this one and the workload it is asked for.
struct Run {
  std::string program;
  std::string workload;
  auto operator<=>(const Run&) const = default;
};

struct Sample {
  double tokens_per_s = 0;  ///< of processor time
  double actor_kib = 0;     ///< resident memory an actor; 0 where the workload does not measure it
  std::string made_by;
};

/// Tells whether the program was built: some peers need software that need not be there.
bool built(const Run& run);

/// Runs it in a process of its own. Throws Error where the program cannot be started, fails or says something else.
Sample sample(const Run& run, std::uint64_t tokens);

}  // namespace isthmus::bench
