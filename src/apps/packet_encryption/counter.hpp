#pragma once

#include <cstddef>
#include <cstdint>

#include "isthmus/stream.hpp"

namespace isthmus::apps {

/// Engines side by side (stacc VI-B3).
inline constexpr std::size_t kAesStreams = 2;

/// A packet's bytes that stay as they are, so that switches find its way: both addresses and the type of Ethernet.
inline constexpr std::size_t kClearBytes = 14;

/// The counter block of the first 16 bytes of packet number `packet`: four bytes of nothing, the number, four that
/// count blocks (as RFC 3686, 4, has nonce, IV and counter). Blocks are counted from the packet's first byte on, those
/// in the clear among them: a packet's beats need no shift.
constexpr CounterBlock counter_of(std::uint64_t packet) {
  CounterBlock block{};
  for (std::size_t i = 0; i < sizeof(packet); ++i) block[11 - i] = static_cast<std::uint8_t>(packet >> (8 * i));
  return block;
}

}  // namespace isthmus::apps
