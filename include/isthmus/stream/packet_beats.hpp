#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "isthmus/stream/vocabulary.hpp"

namespace isthmus {

/// How many of these beats end with their first packet, or all.
inline std::size_t beats_of_packet(std::span<const NetPacket> beats) {
  // Eight at once: a branch at each takes longer than the copy of a beat.
  constexpr std::size_t kAtOnce = 8;
  std::size_t at = 0;
  for (bool ended = false; at + kAtOnce <= beats.size(); at += kAtOnce) {
    for (const NetPacket& beat : beats.subspan(at, kAtOnce)) ended |= beat.eop;
    if (ended) break;
  }
  const auto end = std::ranges::find(beats.subspan(at), true, &NetPacket::eop);
  return at + static_cast<std::size_t>(end - beats.subspan(at).begin()) + (end == beats.end() ? 0 : 1);
}

}  // namespace isthmus
