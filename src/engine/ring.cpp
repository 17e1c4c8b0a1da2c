#include "ring.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>
#include <utility>

#include "isthmus/base/error.hpp"

namespace isthmus::engine {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kLargePage = std::size_t{2} << 20;

std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// The number of a ring's slots. Counts are taken back to the time of an error (Scheduler::history_safe), for which the
/// engine looks at the whole run about once in half a ring. In a short ring these looks would cost much against tokens
/// that cost little, or for many actors that are seldom busy; a long ring of larger tokens would not stay in a core's
/// caches. Where half a ring of four times the depth has hundreds of tokens, more slots would only take longer to lay
/// out.
std::uint64_t ring_slots(std::uint64_t depth, std::size_t stride) {
  constexpr std::size_t kRingBytes = 32 * 1024;
  constexpr std::size_t kMediumToken = 2 * kLine;
  constexpr std::size_t kLargeToken = 1024;
  constexpr std::uint64_t kManySlots = 1024;
  const std::uint64_t deep = std::bit_ceil(depth);
  const std::uint64_t least = 4 * deep;
  if (stride > kLargeToken) return least;
  const std::uint64_t by_bytes = std::bit_floor(kRingBytes / stride);
  if (stride > kMediumToken) return std::max<std::uint64_t>({least, std::min(8 * deep, kManySlots), 64, by_bytes});
  return std::max<std::uint64_t>({least, std::min(16 * deep, kManySlots), 512, by_bytes});
}

void set_size(Channel& channel, int depth, const TokenType& type) {
  constexpr std::uint64_t kTooMany = std::uint64_t{1} << 32;
  if (depth < 1) throw Error(fmt::format("channel '{}': depth {}: expected 1 or more", channel.name, depth));
  channel.depth = static_cast<std::uint64_t>(depth);
  channel.slots = ring_slots(channel.depth, type.slot_bytes);
  if (type.slot_bytes >= kTooMany / channel.slots)
    throw Error(
        fmt::format("channel '{}': depth {} with tokens of {} bytes: expected fewer or smaller ones, the ring "
                    "that keeps their history has to stay below 4 GiB and would take {} slots of {} bytes",
                    channel.name, depth, type.size, channel.slots, type.slot_bytes));
  channel.stride = static_cast<std::uint32_t>(type.slot_bytes);
  channel.stride_shift = static_cast<std::uint32_t>(std::countr_zero(channel.stride));
  const std::uint32_t odd = channel.stride >> channel.stride_shift;
  for (int bits = 1; bits < 32; bits *= 2)
    channel.stride_inverse *= 2 - odd * channel.stride_inverse;  // Newton: doubles the right bits
  channel.ring_bytes = static_cast<std::int64_t>(channel.slots * channel.stride);
  channel.depth_bytes = static_cast<std::int64_t>(channel.depth * channel.stride);
}

}  // namespace

void RingMemory::Free::operator()(std::byte* bytes) const {
  std::free(bytes);
}

std::byte* RingMemory::block(std::size_t bytes, std::size_t alignment) {
  auto* const memory = static_cast<std::byte*>(std::aligned_alloc(alignment, bytes));
  if (memory != nullptr) blocks_.emplace_back(memory);
  return memory;
}

std::byte* RingMemory::large_pages(std::size_t bytes) {
  std::byte* const memory = block(bytes, kLargePage);
  // If the system refuses large pages, the memory keeps its small ones.
  if (memory != nullptr) static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));
  return memory;
}

std::byte* RingMemory::take(std::size_t bytes) {
  constexpr std::size_t kFew = kLargePage / 4;
  bytes = rounded_up(bytes, kLine);
  if (taken_ + bytes < kFew) {
    taken_ += bytes;
    return block(bytes, kLine);
  }
  if (bytes > left_) {
    const std::size_t pages = rounded_up(bytes, kLargePage);
    next_ = large_pages(pages);
    if (next_ == nullptr) return nullptr;
    left_ = pages;
  }
  left_ -= bytes;
  return std::exchange(next_, next_ + bytes);
}

void make_ring(Channel& channel, int depth, const TokenType& type, RingMemory& memory) {
  set_size(channel, depth, type);
  const auto bytes = (channel.slots + 1) * channel.stride;
  std::byte* const storage = memory.take(bytes);
  if (storage == nullptr)
    throw Error(fmt::format("channel '{}': no memory for a ring of {} MiB", channel.name, bytes >> 20));
  for (std::size_t at = 0; at < bytes; at += channel.stride) ::new (static_cast<void*>(storage + at)) SlotHeader;
  channel.ring = storage + channel.stride;
  channel.last_slot = channel.ring + channel.ring_bytes - channel.stride;
  channel.middle_slot = channel.ring + channel.ring_bytes / 2 - channel.stride;
  for (PortState* port : {channel.writer_port, channel.reader_port}) {
    port->cursor = port->window_end = channel.ring;
    port->stop = channel.middle_slot;
    port->channel = &channel;
  }
  channel.reader_port->latency = channel.forward.latency();
  channel.reader_port->peer = channel.writer_port;
  channel.writer_port->peer = channel.reader_port;
}

}  // namespace isthmus::engine
