#include "window.hpp"

#include <algorithm>

#include "isthmus/engine/actor.hpp"

namespace isthmus::engine {
namespace {

void settle(const Channel& channel, PortState& port) {
  port.moved_before = channel.moved(port);
  port.cursor = port.window_begin = channel.slot(port.moved_before);
}

/// Windows hold ticks of one end as ticks of the other: for channels whose ends count the same cycles.
bool windowed(const Channel& channel, bool told) {
  return channel.direct() && channel.writer->clocked && !told && !channel.observed;
}

void open(const Channel& channel, PortState& port, std::uint64_t tokens) {
  const auto to_ring_end = channel.slots - (port.moved_before & (channel.slots - 1));
  port.window_end = port.cursor + std::min(tokens, to_ring_end) * channel.stride;
}

}  // namespace

void open_writer_window(Channel& channel) {
  PortState& port = *channel.writer_port;
  settle(channel, port);
  port.window_end = port.cursor;
  if (!windowed(channel, channel.tell_push)) return;
  auto tokens = channel.depth - (port.moved_before - channel.popped());
  // The slot whose leaving makes room lies `depth` earlier: at one distance up to where that wraps, at another after.
  const auto at = port.moved_before & (channel.slots - 1);
  const auto depth_bytes = static_cast<std::ptrdiff_t>(channel.depth * channel.stride);
  port.earlier = -depth_bytes;
  if (at < channel.depth) {
    port.earlier += static_cast<std::ptrdiff_t>(channel.slots * channel.stride);
    tokens = std::min(tokens, channel.depth - at);
  }
  open(channel, port, tokens);
}

void open_reader_window(Channel& channel) {
  PortState& port = *channel.reader_port;
  settle(channel, port);
  port.window_end = port.cursor;
  if (!windowed(channel, channel.tell_pop)) return;
  open(channel, port, channel.pushed() - port.moved_before);
}

void ask_for_push(Channel& channel) {
  channel.tell_push = true;
  open_writer_window(channel);
}

void ask_for_pop(Channel& channel) {
  channel.tell_pop = true;
  open_reader_window(channel);
}

}  // namespace isthmus::engine
