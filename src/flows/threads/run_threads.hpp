#pragma once

#include "application/run.hpp"
#include "isthmus/engine/graph.hpp"
#include "isthmus/native.hpp"

namespace isthmus::program {

/// Runs a graph on this machine's threads as a job wants it, with so many copies of the kernel in it
/// (compute_units.hpp). Throws Error where an actor has failed. A thread that Ctrl-C stops fails the run: what counts
/// is why.
native::Report run_threads(Graph& graph, const Job& job, int units = 1);

/// Why what a run should have given has not come.
std::string why_missing(const native::Report& report);

/// Threads have no clock; a kernel's actors need one, which means nothing there.
inline Clock clock_on_threads() {
  return Clock{Frequency::mhz(1)};
}

}  // namespace isthmus::program
