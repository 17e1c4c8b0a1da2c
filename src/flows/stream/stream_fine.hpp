#pragma once

#include <vector>

#include "flows/stream/host.hpp"
#include "flows/stream/stream_flow.hpp"

namespace isthmus::program {

/// A stream of which every packet and word was a token.
struct FineStream {
  BoardRun stream;               ///< the run, without a verdict on its bytes
  std::vector<Time> received{};  ///< time at which each message arrived, from the first acquire on
};

/// The place of a stream's kernel on a board.
KernelPlace place_on(const platform::Description& board);

/// Streams the first `count` messages of a job; what comes back goes to `outputs`.
FineStream stream_finely(const platform::Description& board, const Job& job, int count, Outputs& outputs);

}  // namespace isthmus::program
