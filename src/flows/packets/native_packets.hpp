#pragma once

#include "flows/flow.hpp"

namespace isthmus::program {

/// Runs an application on threads whose messages are packets, in memory of this machine: they lie there before the
/// measured time, a batch after the other, and are compared after it.
ThreadsRun run_packets_on_threads(const Job& job);

}  // namespace isthmus::program
