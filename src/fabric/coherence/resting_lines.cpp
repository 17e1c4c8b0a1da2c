#include "isthmus/fabric/coherence/resting_lines.hpp"

#include <algorithm>

namespace isthmus::fabric {

void RestingLines::write(std::uint64_t line, std::span<const std::byte> from, bool kept) {
  LineStore::Way* way = cache_.find(line);
  if (way == nullptr && !kept) return memory_.write(address(line), from);
  if (way == nullptr) way = &make_way(line);
  way->state = LineState::modified;
  cache_.use(*way);
  std::ranges::copy(from, bytes(*way).begin());
}

void RestingLines::read(std::uint64_t line, std::span<std::byte> to) {
  LineStore::Way* way = cache_.find(line);
  if (way == nullptr) {
    way = &make_way(line);
    way->state = LineState::exclusive;
    memory_.read(address(line), bytes(*way));
  }
  cache_.use(*way);
  std::ranges::copy(bytes(*way), to.begin());
}

void RestingLines::flush(std::uint64_t line) {
  if (LineStore::Way* way = cache_.find(line)) give_up(*way);
}

LineStore::Way& RestingLines::make_way(std::uint64_t line) {
  LineStore::Way& way = *cache_.victim(line);
  give_up(way);
  way.line = line;
  return way;
}

void RestingLines::give_up(LineStore::Way& way) {
  if (way.state == LineState::modified) memory_.write(address(way.line), bytes(way));
  way.state = LineState::invalid;
}

}  // namespace isthmus::fabric
