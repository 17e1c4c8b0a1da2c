#pragma once

#include "flows/flow.hpp"

namespace isthmus::program {

/// The flow of messages that stay in the host's memory.
Flow shared_flow();

/// Runs an application on a board whose circuits work on the host's memory through a coherent cache. Messages stay
/// there: a core of the host writes each through its cache and starts the circuit by a store, the circuit reads it line
/// by line and writes its output, then a status line, on which another core spins before it reads the output. Three
/// messages are under way at most. Coarse, a long run of a steady application is told from short ones, as a stream is.
/// Throws Error where a line of the cache is not a word of the kernel.
BoardRun run_shared(const platform::Description& board, const Job& job);

}  // namespace isthmus::program
