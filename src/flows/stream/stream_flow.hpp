#pragma once

#include "flows/flow.hpp"

namespace isthmus::program {

/// The flow of a stream on modelled boards.
Flow stream_flow();

/// Runs an application as a stream on a modelled board with one link: messages are produced in the buffers of the host
/// link's input pool, go through the kernel's actors without touching the device's DRAM, and come back in the output
/// pool. A message starts in a buffer of its own and takes as many as it needs. Coarse, short streams of a steady
/// application are run finely for what a long one takes, and all other messages go through its actors alone; a stream
/// that is short itself, does not become steady, or is observed, is run finely.
BoardRun run_stream(const platform::Description& board, const Job& job);

}  // namespace isthmus::program
