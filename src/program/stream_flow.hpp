#pragma once

#include <vector>

#include "isthmus/platform/description.hpp"
#include "isthmus/platform/part.hpp"
#include "program/run.hpp"

namespace isthmus::program {

struct StreamRun {
  Run run{};
  std::vector<platform::Part> parts{};  ///< parts in the order in which data pass them
  Grain grain = Grain::fine;
  std::vector<platform::Held> path{};  ///< the critical path, where the flow has commands
};

/// Runs an application as a stream on a modelled board with one link: messages are produced in the buffers of the host
/// link's input pool, go through the kernel's actors without touching the device's DRAM, and come back in the output
/// pool. A message starts in a buffer of its own and takes as many as it needs. Coarse, short streams of a steady
/// application are run finely for what a long one takes, and all other messages go through its actors alone; a stream
/// that is short itself, does not become steady, or is observed, is run finely.
StreamRun run_stream(const platform::Description& board, const Job& job);

}  // namespace isthmus::program
