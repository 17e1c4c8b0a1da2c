#include "window.hpp"

namespace isthmus::engine {
namespace {

/// The first of `count` tokens, more than one, that is late; `late` holds for the last one. It is looked for from the
/// front in growing strides, then by halves: where the other end is slower it is among the first.
template <class Late>
std::int64_t first_late(std::int64_t count, const Late& late) {
  if (late(0)) return 0;
  std::int64_t on_time = 0;
  std::int64_t first = count - 1;
  for (std::int64_t stride = 1; on_time + stride < first; stride *= 2) {
    if (late(on_time + stride)) {
      first = on_time + stride;
      break;
    }
    on_time += stride;
  }
  while (on_time + 1 < first) {
    const auto middle = (on_time + first) / 2;
    (late(middle) ? first : on_time) = middle;
  }
  return first;
}

}  // namespace

Windows windows_of(const Channel& channel) {
  // An end without a clock may move several tokens in a tick.
  if (!channel.writer->clocked || !channel.reader->clocked || (kObservable && channel.observed)) return Windows::none;
  return channel.direct() ? Windows::alike : Windows::across;
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

/// If many acts of one end fall into a tick of the other, some in time may follow one that is late. If few do, the late
/// one is among the first, since the faster end waits for the slower.
template <class What>
Tick open_window_across(PortState& port) {
  const Channel& channel = *port.channel;
  const Crossing& way = What::way(channel);
  const Tick now = port.actor->now;
  const auto known = [&](Tick i, Tick by) {
    return way.seen_by(What::set_out(channel, port.cursor + i * channel.stride), by);
  };
  const auto moves = static_cast<Tick>(channel.tokens(What::bytes(port)));
  Tick in_time = 0;
  if (moves != 0 && known(moves - 1, now + moves - 1 - way.bunching(moves)))
    in_time = moves;
  else
    while (in_time < moves && known(in_time, now + in_time)) ++in_time;
  port.window_end = port.cursor + in_time * channel.stride;
  return moves;
}
template Tick open_window_across<TokensAcross>(PortState& port);
template Tick open_window_across<SlotsAcross>(PortState& port);

Tick steps_across(const Actor& actor) {
  const auto at_hand = [](PortState& port) -> Tick {
    const Channel& channel = *port.channel;
    if (channel.windows == Windows::none) return 1;
    const bool reads = &port == channel.reader_port;
    if (channel.windows == Windows::across)
      return reads ? open_window_across<TokensAcross>(port) : open_window_across<SlotsAcross>(port);
    return static_cast<Tick>(channel.tokens(reads ? end_of_known(port) - port.cursor : free_bytes(port)));
  };
  Tick steps = kManySteps;
  if (actor.gate != nullptr) steps = at_hand(*actor.gate);
  if (actor.expects != nullptr && actor.expects != actor.gate) steps = std::min(steps, at_hand(*actor.expects));
  return std::max<Tick>(steps, 1);
}

}  // namespace isthmus::engine
