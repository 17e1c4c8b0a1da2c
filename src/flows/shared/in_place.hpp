#pragma once

#include "flows/stream/stream_flow.hpp"
#include "isthmus/platform/description.hpp"

namespace isthmus::program {

/// Runs an application's datapath on a board whose circuits work on the host's memory through a coherent cache. Each
/// message lies there, in no cache, when the run begins; a core of the host starts each launch by the library's call
/// and a store, the circuit reads all that it takes line by line, writes the result and then a status line, on which
/// the core spins; after the last launch the core reads the output. Coarse, launches and a launch's reads are told from
/// short ones (docs/grain.md), and every launch computes. Throws Error where the board has not enough ports, on-chip
/// memory or pages.
BoardRun run_in_place(const platform::Description& board, const Job& job);

}  // namespace isthmus::program
