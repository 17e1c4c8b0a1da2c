#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "isthmus/fabric/coherence/resting_lines.hpp"
#include "isthmus/fabric/write_stream.hpp"
#include "isthmus/platform/soc_board.hpp"

namespace isthmus::probes {

/// The core's work on a buffer before it is moved (min2019, table II).
enum class BufferState : std::uint8_t {
  written,  ///< written in an order that keeps the lines in the caches
  read,
  flushed,
  streamed,  ///< written in sequence
};
inline constexpr std::array<std::string_view, 4> kBufferStates = {"written", "read", "flushed", "streamed"};

// The actor that has written a line last.
inline constexpr std::uint64_t kCpu = 1;
inline constexpr std::uint64_t kFpga = 2;

/// The place of a buffer, in whole lines.
struct BufferPlace {
  std::uint64_t address;
  std::uint64_t bytes;
};

/// A buffer as a core has it while nothing runs.
class CoreBuffer {
 public:
  CoreBuffer(const platform::SocSpec& board, const BufferPlace& place, fabric::LineStore& cache,
             fabric::DramCells& cells);

  /// It has the bytes of that writer.
  void bring_to(BufferState state, std::uint64_t writer);
  /// Flushes the buffer, on boards whose software has to.
  void flush();
  /// What the core reads.
  std::vector<std::byte> bytes();
  /// Tells whether the core reads what `writer` has left.
  bool has(std::uint64_t writer);

 private:
  void write(std::uint64_t writer, bool in_sequence);
  std::span<std::byte> line() { return std::span(line_).first(bytes_); }

  std::uint64_t bytes_;
  std::uint64_t first_;
  std::uint64_t count_;
  bool maintained_;
  fabric::WriteStream stream_;
  fabric::RestingLines lines_;
  std::array<std::byte, fabric::kMostLine> line_{};
};

}  // namespace isthmus::probes
