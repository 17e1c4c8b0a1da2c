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

/// Up to where tokens that are there lie side by side before an input.
inline std::byte* end_of_known(const PortState& port) {
  std::byte* end = port.channel->writer_port->cursor;
  return end < port.cursor || end > port.stop ? port.stop : end;
}
/// The bytes of the free slots that lie side by side before an output.
[[gnu::always_inline]] inline std::int64_t free_bytes(const PortState& port) {
  return std::min(port.channel->depth_bytes - port.channel->bytes(), port.stop - port.cursor);
}

/// Opens the port's window over those of the `bytes` side by side before it that are known to move in time. For
/// channels with windows.
template <class Ready, class InTime>
[[gnu::always_inline]] inline void open_window(PortState& port, std::int64_t bytes, const Ready& ready,
                                               const InTime& in_time) {
  const Channel& channel = *port.channel;
  if (bytes != 0) {
    const auto moves = static_cast<std::int64_t>(channel.tokens(bytes));
    if (ready(channel, port.cursor + bytes - channel.stride) >= port.actor->now + moves) [[unlikely]]
      bytes = in_time(channel, port, moves) * channel.stride;
  }
  port.window_end = port.cursor + bytes;
}
[[gnu::always_inline]] inline void open_reader_window(Channel& channel) {
  PortState& port = *channel.reader_port;
  open_window(port, end_of_known(port) - port.cursor, token_ready, tokens_in_time);
}
[[gnu::always_inline]] inline void open_writer_window(Channel& channel) {
  open_window(*channel.writer_port, free_bytes(*channel.writer_port), slot_ready, slots_in_time);
}

}  // namespace isthmus::engine
