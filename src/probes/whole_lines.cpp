#include "probes/whole_lines.hpp"

#include <fmt/format.h>

#include "isthmus/base/error.hpp"

namespace isthmus::probes {

void check_whole_lines(const Job& job, const platform::SocSpec& board, std::int64_t buffers) {
  const std::int64_t line = board.coherence.line;
  if (job.offset.count % line != 0)
    throw Error(
        fmt::format("--offset: expected a multiple of a line of {} B (cpu.l2.line), got {} B", line, job.offset.count));
  const std::int64_t most = (board.capacity.count - job.offset.count) / buffers;
  for (const Bytes size : job.sizes) {
    if (size.count % line != 0)
      throw Error(
          fmt::format("--sizes: expected multiples of a line of {} B (cpu.l2.line), got {} B", line, size.count));
    if (size.count > most)
      throw Error(fmt::format("--sizes: expected at most the {} B of a channel of the DRAM behind --offset{}, got {} B",
                              most, buffers > 1 ? fmt::format(", for each of {} buffers", buffers) : "", size.count));
  }
}

}  // namespace isthmus::probes
