#include "window.hpp"

namespace isthmus::engine {
namespace {

/// The first of `count`, more than one, that is late; `late` of the last one holds.
template <class Late>
std::int64_t first_late(std::int64_t count, const Late& late) {
  if (late(0)) return 0;
  if (late(1)) return 1;
  std::int64_t on_time = 1;
  std::int64_t first = count - 1;
  while (on_time + 1 < first) {
    const auto middle = (on_time + first) / 2;
    (late(middle) ? first : on_time) = middle;
  }
  return first;
}

}  // namespace

bool may_have_windows(const Channel& channel) {
  return channel.direct() && channel.writer->clocked && !(kObservable && channel.observed);
}

std::int64_t tokens_in_time(const Channel& channel, const PortState& port, std::int64_t tokens) {
  return first_late(tokens, [&](std::int64_t i) {
    return token_ready(channel, port.cursor + i * channel.stride) > port.actor->now + i;
  });
}

std::int64_t slots_in_time(const Channel& channel, const PortState& port, std::int64_t slots) {
  return first_late(slots, [&](std::int64_t i) {
    return slot_ready(channel, port.cursor + i * channel.stride) > port.actor->now + i;
  });
}

}  // namespace isthmus::engine
