#pragma once

#include "isthmus/platform/soc_board.hpp"
#include "isthmus/probes/probe.hpp"

namespace isthmus::probes {

/// Throws Error unless the job's offset and sizes are whole lines of a processor's cache, and so many buffers of each
/// size lie in its memory.
void check_whole_lines(const Job& job, const platform::SocSpec& board, std::int64_t buffers);

}  // namespace isthmus::probes
