#pragma once

#include <algorithm>

#include "isthmus/engine/actor.hpp"

// Windows: the stretch of a ring in which a port moves tokens without a look at the rest of the channel.

namespace isthmus::engine {

/// Windows hold ticks of one end as ticks of the other: for channels whose ends count the same cycles.
bool may_have_windows(const Channel& channel);

/// The slot whose last pop frees the one at `slot`.
inline std::byte* freed_by(const Channel& channel, std::byte* slot) {
  std::byte* before = slot - channel.depth_bytes;
  return before < channel.ring ? before + channel.ring_bytes : before;
}

/// When the token at `slot` can be pulled, and when the slot can be filled.
inline Tick token_ready(const Channel& channel, std::byte* slot) {
  return Channel::header_at(slot).pushed_at + channel.forward.latency();
}
inline Tick slot_ready(const Channel& channel, std::byte* slot) {
  return Channel::header_at(freed_by(channel, slot)).popped_at + channel.back.latency();
}

/// How many of the tokens (or slots) that are `bytes` long can move one a tick from `now` on, the i-th of them
/// from `ready(slot)` on, which rises by one at least from slot to slot; not all.
std::int64_t tokens_in_time(const Channel& channel, const PortState& port, std::int64_t tokens);
std::int64_t slots_in_time(const Channel& channel, const PortState& port, std::int64_t slots);

/// Opens the port's window as far as is known to be safe. For channels with windows.
[[gnu::always_inline]] inline void open_reader_window(Channel& channel) {
  PortState& port = *channel.reader_port;
  port.known_end = channel.writer_port->cursor;
  auto bytes = std::min(channel.bytes(), port.stop - port.cursor);
  if (bytes != 0) {
    const auto tokens = static_cast<std::int64_t>(channel.tokens(bytes));
    if (token_ready(channel, port.cursor + bytes - channel.stride) >= port.actor->now + tokens) [[unlikely]]
      bytes = tokens_in_time(channel, port, tokens) * channel.stride;
  }
  port.window_end = port.cursor + bytes;
}

[[gnu::always_inline]] inline void open_writer_window(Channel& channel) {
  PortState& port = *channel.writer_port;
  auto bytes = std::min(channel.depth_bytes - channel.bytes(), port.stop - port.cursor);
  if (bytes != 0) {
    const auto slots = static_cast<std::int64_t>(channel.tokens(bytes));
    if (slot_ready(channel, port.cursor + bytes - channel.stride) >= port.actor->now + slots) [[unlikely]]
      bytes = slots_in_time(channel, port, slots) * channel.stride;
  }
  port.window_end = port.cursor + bytes;
}

}  // namespace isthmus::engine
