#include "isthmus/shared/host_core.hpp"

#include <algorithm>
#include <cstring>

#include "isthmus/platform/shared_board.hpp"

namespace isthmus {

using fabric::LineAccess;
using fabric::LineResult;

const LineResult& HostCore::read(std::uint64_t address, std::uint64_t bytes) {
  fabric::begin_access(accesses, LineAccess::Kind::read, space.physical(address), bytes, 0);
  return results.read_in_place();
}

void HostCore::read(const LinePieces& stretch, std::span<std::byte> output) {
  const std::uint64_t lines = stretch.count();
  std::uint64_t sent = 0;
  for (std::uint64_t answered = 0; answered < lines;) {
    if (sent < lines && sent - answered < platform::kLineFills) {
      fabric::begin_access(accesses, LineAccess::Kind::read, space.physical(stretch.from + stretch.offset(sent)),
                           stretch.size(sent), static_cast<std::uint16_t>(sent));
      ++sent;
      continue;
    }
    const LineResult& line = results.read_in_place();
    // tags are the lowest bits of the line's number; those under way lie close together
    const std::uint64_t number = sent - 1 - static_cast<std::uint16_t>(sent - 1 - line.tag);
    if (!output.empty()) std::memcpy(output.data() + stretch.offset(number), line.data.data(), line.bytes);
    ++answered;
  }
}

void HostCore::write(const LinePieces& stretch, std::span<const std::byte> bytes) {
  const std::uint64_t lines = stretch.count();
  std::uint64_t sent = 0;
  for (std::uint64_t answered = 0; answered < lines;) {
    if (sent < lines && sent - answered < platform::kLineFills) {
      const std::uint64_t at = stretch.offset(sent);
      const std::uint64_t size = stretch.size(sent++);
      LineAccess& access =
          fabric::begin_access(accesses, LineAccess::Kind::write, space.physical(stretch.from + at), size, 0);
      std::memcpy(access.data.data(), bytes.data() + at, size);
      if (results.pull_in_place() != nullptr) ++answered;
    } else {
      results.read_in_place();
      ++answered;
    }
  }
}

void HostCore::store(std::uint64_t address, std::span<const std::uint64_t> words, bool last) {
  Store made{.address = space.physical(address), .words = static_cast<int>(words.size()), .last = last, .word = {}};
  std::ranges::copy(words, made.word.begin());
  stores[0].push(made);
}

}  // namespace isthmus
