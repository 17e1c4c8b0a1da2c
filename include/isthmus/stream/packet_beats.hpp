#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "isthmus/stream/vocabulary.hpp"

namespace isthmus {

/// How many of these beats end with their first packet, or all.
inline std::size_t beats_of_packet(std::span<const NetPacket> beats) {
  const auto end = std::ranges::find(beats, true, &NetPacket::eop);
  return static_cast<std::size_t>(end - beats.begin()) + (end == beats.end() ? 0 : 1);
}

}  // namespace isthmus
