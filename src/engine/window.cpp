#include "window.hpp"

#include <algorithm>

#include "isthmus/engine/actor.hpp"

namespace isthmus::engine {
namespace {

void settle(const Channel& channel, PortState& port) {
  port.moved_before = channel.moved(port);
  port.cursor = port.window_begin = channel.slot(port.moved_before);
}

/// Opens `port` for as many of the next `tokens` as can move one a tick from `now` on, the i-th of them from tick
/// `ready(i)`, which rises by one at least from token to token.
template <class Ready>
void open(const Channel& channel, PortState& port, std::uint64_t tokens, const Ready& ready) {
  const auto to_ring_end = channel.slots - (port.moved_before & (channel.slots - 1));
  tokens = std::min(tokens, to_ring_end);
  const Tick now = port.actor->now;
  const auto in_time = [&](std::uint64_t i) { return ready(i) <= now + static_cast<Tick>(i); };
  if (tokens > 0 && !in_time(tokens - 1)) {
    std::uint64_t first_late = tokens - 1;
    for (std::uint64_t low = 0; low < first_late;) {
      const std::uint64_t middle = (low + first_late) / 2;
      in_time(middle) ? low = middle + 1 : first_late = middle;
    }
    tokens = first_late;
  }
  port.window_end = port.cursor + tokens * channel.stride;
}

}  // namespace

bool may_have_windows(const Channel& channel) {
  return channel.direct() && channel.writer->clocked && !channel.observed;
}

void open_writer_window(Channel& channel) {
  PortState& port = *channel.writer_port;
  settle(channel, port);
  const auto pushed = port.moved_before;
  open(channel, port, channel.depth - (pushed - channel.popped()),
       [&](std::uint64_t i) { return channel.slot_free(pushed + i); });
}

void open_reader_window(Channel& channel) {
  PortState& port = *channel.reader_port;
  settle(channel, port);
  const auto popped = port.moved_before;
  open(channel, port, channel.pushed() - popped, [&](std::uint64_t i) { return channel.visible(popped + i); });
}

void step_cursor(const Channel& channel, PortState& port) {
  ++port.moved_before;
  port.cursor = port.window_begin = port.window_end = channel.slot(port.moved_before);
}

}  // namespace isthmus::engine
