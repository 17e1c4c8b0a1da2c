#pragma once

#include <array>

#include "flows/flow.hpp"

namespace isthmus::program {

/// The faults of threads: between them is nothing that could lose anything.
inline constexpr std::array kThreadFaults = {kStall, kDie};

/// Runs a stream on this machine's threads. Outputs are compared after a batch of messages has run, so that it takes
/// none of the measured time.
ThreadsRun run_native(const Job& job);

}  // namespace isthmus::program
