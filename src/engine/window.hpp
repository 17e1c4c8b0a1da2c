#pragma once

#include <algorithm>

#include "isthmus/engine/detail/actor.hpp"

// Windows: the range of slots in which a port moves tokens without a look at the rest of the channel.

namespace isthmus::engine {

Windows windows_of(const Channel& channel);

/// After this many steps a closer look costs little.
inline constexpr Tick kManySteps = 1 << 8;

/// The tick at which the token at `slot` can be pulled, and the one at which the slot can be filled, if both ends count
/// the same ticks.
inline Tick token_ready(const Channel& channel, std::byte* slot) {
  return Channel::header_at(slot).pushed_at + channel.forward.latency();
}
inline Tick slot_ready(const Channel& channel, std::byte* slot) {
  return Channel::header_at(channel.freed_by(slot)).popped_at + channel.back.latency();
}

/// How many of the tokens (or slots) that are `bytes` long can move one a tick from `now` on, the i-th of them
/// from `ready(slot)` on, which rises by one at least from slot to slot; not all.
std::int64_t tokens_in_time(const Channel& channel, const PortState& port, std::int64_t tokens);
std::int64_t slots_in_time(const Channel& channel, const PortState& port, std::int64_t slots);

/// The end of the tokens that are there and lie side by side before an input.
inline std::byte* end_of_known(const PortState& port) {
  std::byte* end = port.channel->writer_port->cursor;
  return end < port.cursor || end > port.stop ? port.stop : end;
}
/// The bytes of the free slots that lie side by side before an output.
[[gnu::always_inline]] inline std::int64_t free_bytes(const PortState& port) {
  return std::min(port.channel->depth_bytes - port.channel->bytes(), port.stop - port.cursor);
}

/// Opens the port's window over those of the `bytes` side by side before it that are known to move in time. It serves
/// channels whose ends count the same ticks.
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
/// What moves through the ports of a channel whose ends do not count the same ticks: the way on which it becomes known
/// to the port, when it set out there, and how much of it lies side by side before the port.
struct TokensAcross {
  static const Crossing& way(const Channel& channel) { return channel.forward; }
  static Tick set_out(const Channel& /*channel*/, std::byte* slot) { return Channel::header_at(slot).pushed_at; }
  static std::int64_t bytes(const PortState& port) { return end_of_known(port) - port.cursor; }
};
struct SlotsAcross {
  static const Crossing& way(const Channel& channel) { return channel.back; }
  static Tick set_out(const Channel& channel, std::byte* slot) {
    return Channel::header_at(channel.freed_by(slot)).popped_at;
  }
  static std::int64_t bytes(const PortState& port) { return free_bytes(port); }
};
/// Opens the port's window on such a channel, and returns how many tokens (or slots) lie before the port.
template <class What>
Tick open_window_across(PortState& port);
/// The number of steps that an actor with such channels may start, by what lies before its gate and before the port at
/// which it expects news. Opens their windows.
[[gnu::noinline]] Tick steps_across(const Actor& actor);

[[gnu::always_inline]] inline void open_reader_window(Channel& channel) {
  PortState& port = *channel.reader_port;
  if (channel.windows != Windows::alike) [[unlikely]] {
    if (channel.windows == Windows::across) open_window_across<TokensAcross>(port);
    return;
  }
  open_window(port, end_of_known(port) - port.cursor, token_ready, tokens_in_time);
}
[[gnu::always_inline]] inline void open_writer_window(Channel& channel) {
  PortState& port = *channel.writer_port;
  if (channel.windows != Windows::alike) [[unlikely]] {
    if (channel.windows == Windows::across) open_window_across<SlotsAcross>(port);
    return;
  }
  open_window(port, free_bytes(port), slot_ready, slots_in_time);
}

}  // namespace isthmus::engine
