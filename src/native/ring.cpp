#include "native/ring.hpp"

#include "native/barrier.hpp"

namespace isthmus::native {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::int64_t kLine = 64;

/// The number of lines of a range of slots that are fetched when it is opened: about as many as a core can wait for at
/// once.
constexpr std::int64_t kLinesAhead = 32;

constexpr std::int64_t kSmall = 4096;  // bytes

/// A look that opens this many tokens is cheap for each.
constexpr std::int64_t kEnough = 32;
constexpr int kLeastPatience = 4;

/// Begins to fetch lines that the other end's core holds, in order to write or to read them.
void fetch(const engine::SlotRange& slots, bool to_write) {
  const std::byte* last = std::min(slots.end, slots.next + kLinesAhead * kLine);
  if (to_write)
    for (const std::byte* at = slots.next; at < last; at += kLine) fetch_to_write(at);
  else
    for (const std::byte* at = slots.next; at < last; at += kLine) __builtin_prefetch(at);
}

/// The number of slots. One more than the depth separates full from empty. A small ring has twice the depth, so that a
/// reader and a writer that take turns seldom meet its end in the middle of a range.
std::int64_t slots(const engine::Channel& channel, std::int64_t stride) {
  const auto depth = static_cast<std::int64_t>(channel.depth);
  return depth * stride <= kSmall ? 2 * depth : depth + 1;
}

void attach(engine::PortState& port, End& end) {
  port.cursor = port.window_end = port.stop = nullptr;
  port.native = {.ring_end = &end, .slots = {end.published, end.published}};
}

}  // namespace

Ring::Ring(const engine::Channel& of, const engine::TokenType& type)
    : channel(of),
      stride_(static_cast<std::int64_t>(type.size)),
      slots_(slots(of, stride_)),
      capacity_(stride_ * static_cast<std::int64_t>(of.depth)),
      bytes_(slots_ * stride_) {
  static_assert(alignof(std::max_align_t) <= 64);
  storage_.reset(new (std::align_val_t{64}) std::byte[static_cast<std::size_t>(bytes_)]);
  for (std::int64_t at = 0; at < bytes_; at += kPage) storage_[static_cast<std::size_t>(at)] = {};  // maps the page
  for (End* end : {&writer, &reader}) {
    end->ring = this;
    end->published = end->seen = storage_.get();
  }
  writer.other = &reader;
  reader.other = &writer;
  writer.writes = true;
  attach(*of.writer_port, writer);
  attach(*of.reader_port, reader);
}

/// Puts off the next look if this one brought little, because a look takes the line with the other end's position away
/// from a core that writes it at every move. The pause grows while it brings more, and never lasts longer than the
/// other end takes to fill the ring.
void Ring::pace(End& end, const engine::SlotRange& opened) const {
  fetch(opened, end.writes);
  const int most = std::max(1, static_cast<int>(channel.depth / 4));
  const std::int64_t found = ahead(end, opened.next, end.seen);
  const bool little = found * 2 < capacity_ && found < kEnough * stride_;
  if (found <= stride_)
    end.patience = std::min(kLeastPatience, most);
  else if (little)
    end.patience = std::min(end.patience * 2, most);
  else if (found * 4 > capacity_ * 3)
    end.patience = std::max(end.patience / 2, std::min(kLeastPatience, most));
  end.pauses = little ? end.patience : 0;
}

bool Ring::news(const End& end) const {
  return (end.asked && end.other->published.load(std::memory_order_acquire) != end.seen) ||
         (end.asked_closed && closed.load(std::memory_order_acquire) != end.seen_closed);
}

std::uint64_t Ring::moved(const End& end) const {
  return end.laps + static_cast<std::uint64_t>((at(end) - storage_.get()) / stride_);
}

}  // namespace isthmus::native
