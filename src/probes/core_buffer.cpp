#include "probes/core_buffer.hpp"

#include <cstring>

#include "probes/line_mover.hpp"

namespace isthmus::probes {

CoreBuffer::CoreBuffer(const platform::SocSpec& board, const BufferPlace& place, fabric::LineStore& cache,
                       fabric::DramCells& cells)
    : bytes_(static_cast<std::uint64_t>(board.coherence.line)),
      first_(place.address / bytes_),
      count_(place.bytes / bytes_),
      maintained_(board.maintenance),
      stream_(board.core.write_stream),
      lines_(cache, cells, board.coherence.line) {}

void CoreBuffer::bring_to(BufferState state, std::uint64_t writer) {
  write(writer, state == BufferState::streamed);
  if (state == BufferState::read || state == BufferState::flushed) flush();
  if (state == BufferState::read)
    for (std::uint64_t i = 0; i < count_; ++i) lines_.read(first_ + i, line());
}

void CoreBuffer::flush() {
  for (std::uint64_t i = 0; maintained_ && i < count_; ++i) lines_.flush(first_ + i);
}

std::vector<std::byte> CoreBuffer::bytes() {
  std::vector<std::byte> found(count_ * bytes_);
  for (std::uint64_t i = 0; i < count_; ++i) lines_.read(first_ + i, std::span(found).subspan(i * bytes_, bytes_));
  return found;
}

bool CoreBuffer::has(std::uint64_t writer) {
  std::array<std::byte, fabric::kMostLine> expected{};
  for (std::uint64_t i = 0; i < count_; ++i) {
    lines_.read(first_ + i, line());
    fill_line(i * bytes_, writer, std::span(expected).first(bytes_));
    if (std::memcmp(expected.data(), line_.data(), bytes_) != 0) return false;
  }
  return true;
}

/// Whole lines in sequence, or in pairs of which the second comes first.
void CoreBuffer::write(std::uint64_t writer, bool in_sequence) {
  for (std::uint64_t i = 0; i < count_; ++i) {
    const std::uint64_t partner = i ^ 1U;
    const std::uint64_t at = in_sequence || partner >= count_ ? i : partner;
    fill_line(at * bytes_, writer, line());
    lines_.write(first_ + at, line(), stream_.keeps(first_ + at));
  }
}

}  // namespace isthmus::probes
