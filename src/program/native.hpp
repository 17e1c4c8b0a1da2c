#pragma once

#include <vector>

#include "isthmus/native.hpp"
#include "program/run.hpp"

namespace isthmus::program {

struct NativeRun {
  Run run{};
  int units = 1;                                ///< copies of the kernel that shared the messages
  std::vector<native::WorkerReport> workers{};  ///< reports of the workers, with the actors that each ran
};

/// Runs a stream on this machine's threads. Outputs are compared after a batch of messages has run, so that it takes
/// none of the measured time.
NativeRun run_native(const Job& job);

}  // namespace isthmus::program
