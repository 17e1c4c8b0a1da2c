#include "isthmus/fabric/coherence/channel_selector.hpp"

#include <algorithm>

namespace isthmus::fabric {
namespace {

void copy(const LineResult& from, LineResult& to) {
  to.kind = from.kind;
  to.bytes = from.bytes;
  to.tag = from.tag;
  if (from.kind != LineAccess::Kind::write) copy_line(from.data, to.data, from.bytes);
}

void copy(const LineAccess& from, LineAccess& to) {
  to.kind = from.kind;
  to.bytes = from.bytes;
  to.tag = from.tag;
  to.channel = from.channel;
  to.more = from.more;
  to.addr = from.addr;
  if (from.kind == LineAccess::Kind::write) copy_line(from.data, to.data, from.bytes);
}

}  // namespace

ChannelSelector::ChannelSelector(const ChannelSelectorSpec& spec)
    : channel_reads(spec.channels, "channel_reads"),
      channel_writes(spec.channels, "channel_writes"),
      reads_done(spec.channels, "reads_done"),
      writes_done(spec.channels, "writes_done"),
      spec_(spec) {
  for (Side* side : {&reading_, &writing_})
    side->queues.assign(channel_reads.size(), {.waiting = Ring<LineAccess>(static_cast<std::size_t>(spec.depth))});
}

void ChannelSelector::step() {
  moved_ = false;
  hand_back(reading_, reads_done, read_results);
  hand_back(writing_, writes_done, write_results);
  take(reads, reading_);
  take(writes, writing_);
  send(reading_, channel_reads);
  send(writing_, channel_writes);
  if (moved_) return;
  over_ = idle(reading_) && idle(writing_) && reads.closed() && writes.closed();
  if (!over_)
    timer_.wait(reads, writes, read_results, write_results, channel_reads, channel_writes, reads_done, writes_done);
}

bool ChannelSelector::idle(const Side& side) const {
  return std::ranges::all_of(side.queues, [](const Queue& queue) { return queue.under_way == 0; });
}

void ChannelSelector::take(In<LineAccess>& from, Side& side) {
  const LineAccess* access = from.front();
  if (access == nullptr) return;
  if (access->kind == LineAccess::Kind::fence && access->channel == kAnyChannel) {
    if (!fence_all(*access)) return;
  } else {
    if (!choose(*access, side)) return;
    enqueue(side, side.last, *access);
    side.within = access->more > 0;
  }
  from.pull_in_place();
  moved_ = true;
}

std::size_t ChannelSelector::shortest(const Side& side) const {
  const auto found = std::ranges::min_element(side.queues, {}, &Queue::length);
  return static_cast<std::size_t>(found - side.queues.begin());
}

/// Tells whether its queue has room.
bool ChannelSelector::choose(const LineAccess& access, Side& side) {
  std::size_t channel = side.last;
  if (!side.within) {
    channel = access.channel;
    if (access.channel == kAnyChannel) channel = spec_.round_robin ? side.turn : shortest(side);
  }
  if (side.queues[channel].length == spec_.depth) return false;
  if (!side.within && access.channel == kAnyChannel) side.turn = (side.turn + 1) % side.queues.size();
  side.last = channel;
  return true;
}

/// Serves one request at a time.
bool ChannelSelector::fence_all(const LineAccess& fence) {
  const auto full = [this](const Queue& queue) { return queue.length == spec_.depth; };
  if (fences_left_ > 0 || std::ranges::any_of(writing_.queues, full)) return false;
  for (std::size_t channel = 0; channel < writing_.queues.size(); ++channel) enqueue(writing_, channel, fence);
  fences_left_ = spec_.channels;
  return true;
}

void ChannelSelector::enqueue(Side& side, std::size_t channel, const LineAccess& access) {
  Queue& queue = side.queues[channel];
  queue.waiting.push(access);
  ++queue.length;
  ++queue.under_way;
}

void ChannelSelector::send(Side& side, PortArray<Out<LineAccess>>& to) {
  for (std::size_t channel = 0; channel < side.queues.size(); ++channel) {
    Queue& queue = side.queues[channel];
    if (queue.length == 0 || !to[channel].room()) continue;
    copy(queue.waiting.front(), to[channel].slot());
    queue.waiting.pop();
    --queue.length;
    moved_ = true;
  }
}

void ChannelSelector::hand_back(Side& side, PortArray<In<LineResult>>& from, Out<LineResult>& to) {
  if (!to.room()) return;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::size_t channel = (side.first + i) % from.size();
    if (side.queues[channel].under_way == 0) continue;
    const LineResult* result = from[channel].pull_in_place();
    if (result == nullptr) continue;
    --side.queues[channel].under_way;
    side.first = channel + 1;
    moved_ = true;
    if (result->kind == LineAccess::Kind::fence && result->channel == kAnyChannel && --fences_left_ > 0) return;
    LineResult& told = to.slot();
    copy(*result, told);
    told.channel = static_cast<std::uint8_t>(channel);
    return;
  }
}

}  // namespace isthmus::fabric
