#pragma once

#include <cstdint>

#include "flows/stream/stream_flow.hpp"
#include "isthmus/application/exchange.hpp"
#include "isthmus/platform/description.hpp"

namespace isthmus::program {

/// The part of a job that a graph runs.
struct Extent {
  int count;              ///< messages
  int launches;           ///< launches of each message
  std::uint64_t regions;  ///< regions that each launch reads at a port
};

/// Runs so much of a job finely on a board whose circuits share the host's memory. Without `messages` memory holds
/// zeros, and nobody asks for the output. Throws Error where the board has not enough ports, on-chip memory or pages.
BoardRun run_in_graph(const platform::Description& board, const Job& job, const Extent& extent, Exchange* messages);

}  // namespace isthmus::program
