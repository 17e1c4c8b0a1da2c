#pragma once

#include "program/stream_flow.hpp"

namespace isthmus::program {

/// Runs an application whose messages are packets on a modelled board with a network: they come from a sender at the
/// other end of the line, at Packets::load of its rate, go through the kernel's actors and back to a receiver beside
/// it. No host takes part (host bypass, stacc II).
StreamRun run_packets_on_board(const platform::Description& board, const Job& job);

}  // namespace isthmus::program
