#pragma once

#include "flows/flow.hpp"

namespace isthmus::program {

/// Runs an application whose messages are packets on a modelled board with a network: they come from a sender at the
/// other end of the line, at Packets::load of its rate, go through the kernel's actors and back to a receiver beside
/// it. No host takes part (host bypass, stacc II).
BoardRun run_packets_on_board(const platform::Description& board, const Job& job);

}  // namespace isthmus::program
