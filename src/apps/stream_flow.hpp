#pragma once

#include <vector>

#include "isthmus/apps/target.hpp"
#include "isthmus/offload/model.hpp"
#include "isthmus/platform/description.hpp"

namespace isthmus::apps {

struct StreamRun {
  FilterRun run{};
  std::vector<offload::Part> parts{};  ///< in the order in which data pass them
  Grain grain = Grain::fine;
};

/// Runs the image filter as a stream on a modelled board with one link: frames are produced in the buffers of the host
/// link's input pool, go through the filter's circuit without touching the device's DRAM, and come back in the output
/// pool. A frame starts in a buffer of its own and takes as many as it needs: two of 4 MiB for 1920 x 1080, the second
/// not full. Coarse, short streams are run finely for what a long one takes, and all other frames go through the
/// circuit alone; a stream that is short itself, does not become steady, or is observed, is run finely.
StreamRun run_stream(const platform::Description& board, const FilterJob& job);

}  // namespace isthmus::apps
