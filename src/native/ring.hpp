#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "isthmus/engine/detail/channel.hpp"
#include "isthmus/engine/detail/ring_end.hpp"
#include "isthmus/engine/port.hpp"

namespace isthmus::native {

class Ring;

/// A ring end with the fields that only slow paths need.
struct End : engine::RingEnd {
  alignas(128) Ring* ring = nullptr;
  End* other = nullptr;
  bool writes = false;
  std::byte* seen = nullptr;  ///< position of the other end at the last look
  bool asked = false;         ///< a poll has failed since the last step that moved something
  bool asked_closed = false;  ///< a poll of `closed` has failed since then
  bool seen_closed = false;
  std::uint64_t counted = 0;            ///< tokens moved when the actor was last asked whether it had moved any
  std::uint64_t laps = 0;               ///< tokens moved in whole rounds of the ring
  int pauses = 0;                       ///< pauses before the next look: see Ring::pace
  int patience = 0;                     ///< pauses after a look that brought little
  int opened = 0;                       ///< how many ranges of slots the actor had opened when this one was
  std::uint64_t first_told = 0;         ///< tokens moved when the observed interval began
  std::atomic<std::uint64_t> told = 0;  ///< tokens moved since then
};

/// A bounded FIFO whose ends may stand on different threads.
class Ring {
 public:
  Ring(const engine::Channel& channel, const engine::TokenType& type);

  End writer;
  End reader;
  const engine::Channel& channel;       ///< its name and depth
  std::atomic<bool> closed = false;     ///< the writer has finished
  std::atomic<bool> abandoned = false;  ///< the reader has finished

  /// The range of slots through which `end` may move now; not open if there is none.
  engine::SlotRange open(End& end);
  /// Called after `open` of an end whose other end is on another core: decides when the next look comes.
  void pace(End& end, const engine::SlotRange& opened) const;
  /// Tells whether `open` would succeed.
  bool could_open(const End& end) const {
    return ahead(end, at(end), end.other->published.load(std::memory_order_acquire)) > 0;
  }
  /// Tells whether it will never open again, because the actor of the other end has finished.
  bool over(const End& end) const { return (end.writes ? abandoned : closed).load(std::memory_order_acquire); }
  /// Tells whether the last answer to `end` no longer holds.
  bool news(const End& end) const;
  std::uint64_t moved(const End& end) const;
  std::int64_t stride() const { return stride_; }

 private:
  static std::byte* at(const End& end) { return end.published.load(std::memory_order_relaxed); }
  /// The bytes that `end`, at `next`, may move before it has to look again, if the other end is at `other`.
  std::int64_t ahead(const End& end, const std::byte* next, const std::byte* other) const {
    const std::int64_t there = other - next;
    const std::int64_t tokens = there < 0 ? there + bytes_ : there >= bytes_ ? there - bytes_ : there;
    return end.writes ? capacity_ - (tokens == 0 ? 0 : bytes_ - tokens) : tokens;
  }

  std::int64_t stride_;
  std::int64_t slots_;
  std::int64_t capacity_;  ///< bytes of the tokens that it can hold
  std::int64_t bytes_;
  std::unique_ptr<std::byte[], engine::AlignedDelete> storage_;
};

inline engine::SlotRange Ring::open(End& end) {
  std::byte* const first = storage_.get();
  std::byte* const last = first + bytes_;
  std::byte* next = at(end);
  if (next == last) {
    next = first;
    end.published.store(first, std::memory_order_release);
    end.laps += static_cast<std::uint64_t>(slots_);
  }
  end.seen = end.other->published.load(std::memory_order_acquire);
  return {next, next + std::min(ahead(end, next, end.seen), last - next)};
}

}  // namespace isthmus::native
