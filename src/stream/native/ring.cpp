#include "stream/native/ring.hpp"

#include <algorithm>

namespace isthmus::native {
namespace {

constexpr std::size_t kPage = 4096;

void attach(engine::PortState& port, End& end) {
  port.cursor = port.window_end = nullptr;
  port.lane = &end;
}

}  // namespace

Ring::Ring(const engine::Channel& of, const engine::TokenType& type)
    : channel(of),
      stride_(static_cast<std::int64_t>(type.size)),
      bytes_(stride_ * static_cast<std::int64_t>(of.depth + 1)) {
  static_assert(alignof(std::max_align_t) <= 64);
  storage_.reset(new (std::align_val_t{64}) std::byte[static_cast<std::size_t>(bytes_)]);
  for (std::int64_t at = 0; at < bytes_; at += kPage) storage_[static_cast<std::size_t>(at)] = {};  // maps the page
  for (End* end : {&writer, &reader}) {
    end->ring = this;
    end->next = end->end = end->seen = storage_.get();
    end->published = storage_.get();
  }
  writer.other = &reader;
  reader.other = &writer;
  writer.writes = true;
  attach(*of.writer_port, writer);
  attach(*of.reader_port, reader);
}

/// Bytes that `end` may move before it has to look again.
std::int64_t Ring::ahead(const End& end, const std::byte* other) const {
  const std::int64_t there = other - end.next;
  const std::int64_t tokens = there < 0 ? there + bytes_ : there >= bytes_ ? there - bytes_ : there;
  return end.writes ? bytes_ - stride_ - (tokens == 0 ? 0 : bytes_ - tokens) : tokens;
}

bool Ring::open(End& end) {
  if (end.next == storage_.get() + bytes_) {
    end.next = end.end = storage_.get();
    end.laps += channel.depth + 1;
  }
  end.seen = end.other->published.load(std::memory_order_acquire);
  const std::int64_t to_ring_end = storage_.get() + bytes_ - end.next;
  end.end = end.next + std::min(ahead(end, end.seen), to_ring_end);
  return end.open();
}

bool Ring::news(const End& end) const {
  return (end.asked && end.other->published.load(std::memory_order_acquire) != end.seen) ||
         (end.asked_closed && closed.load(std::memory_order_acquire) != end.seen_closed);
}

std::uint64_t Ring::moved(const End& end) const {
  return end.laps + static_cast<std::uint64_t>((end.next - storage_.get()) / stride_);
}

}  // namespace isthmus::native
