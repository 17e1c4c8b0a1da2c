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
bool windowed(const Channel& channel) { return channel.direct() && channel.writer->clocked && !channel.observed; }

/// Opens `port` for as many of the next `tokens` as can move one a tick from `now` on, the i-th of them from tick `ready(i)`, which rises
/// by one at least from token to token.
template <class Ready>
void open(const Channel& channel, PortState& port, std::uint64_t tokens, const Ready& ready) {
  const auto to_ring_end = channel.slots - (port.moved_before & (channel.slots - 1));
  tokens = std::min(tokens, to_ring_end);
  const Tick now = port.actor->now;
  if (tokens > 0 && ready(tokens - 1) > now + static_cast<Tick>(tokens) - 1) {
    std::uint64_t first = 0;
    while (first < tokens && ready(first) <= now + static_cast<Tick>(first)) ++first;
    tokens = first;
  }
  port.window_end = port.cursor + tokens * channel.stride;
}

}  // namespace

void open_writer_window(Channel& channel) {
  PortState& port = *channel.writer_port;
  settle(channel, port);
  port.window_end = port.cursor;
  if (!windowed(channel)) return;
  const auto pushed = port.moved_before;
  open(channel, port, channel.depth - (pushed - channel.popped()), [&](std::uint64_t i) { return channel.slot_free(pushed + i); });
}

void open_reader_window(Channel& channel) {
  PortState& port = *channel.reader_port;
  settle(channel, port);
  port.window_end = port.cursor;
  if (!windowed(channel)) return;
  const auto popped = port.moved_before;
  open(channel, port, channel.pushed() - popped, [&](std::uint64_t i) { return channel.visible(popped + i); });
}

}  // namespace isthmus::engine
