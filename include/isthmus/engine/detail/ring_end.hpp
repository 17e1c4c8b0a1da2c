#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "isthmus/base/units.hpp"

namespace isthmus::engine {

class NativeContext;
struct NativePort;
enum class AtBoundary : std::uint8_t;

/// The slots that an end of a channel may move through without a look at the other end.
struct SlotRange {
  std::byte* next = nullptr;  ///< the slot of the next token
  std::byte* end = nullptr;

  bool open() const { return next != end; }
};

/// One end of a channel on a back end that runs in real time (src/native), as both ends see it.
///
/// A port keeps a range of slots in which tokens move without a look at the other end, and each is published at once:
/// the other end looks when it has used up its own range, and then takes all there is. So moves come in batches and
/// nothing is held back.
///
/// What different cores write is two cache lines apart: processors fetch lines in pairs.
struct alignas(128) RingEnd {
  NativeContext* actor = nullptr;
  /// Tells whether the other end may run at the same time, on another worker. Only this end's worker uses it.
  bool apart = true;
  std::atomic<bool> watched = false;  ///< the other end's worker is about to sleep and has to be told of the next move

  // The fields that the other end reads.
  alignas(128) std::atomic<std::byte*> published = nullptr;  ///< the slot after the last one that was moved

  inline void publish(std::byte* to);
};

/// An actor on such a back end, as its ports and its loop of steps see it. The functions are slow paths, which run once
/// for each range of slots. None takes a port, so that the loop may keep all of a port in registers.
class NativeContext {
 public:
  virtual ~NativeContext() = default;

  bool look = false;  ///< something has to be done after this step
  bool look_at_boundary = false;
  RingEnd* held = nullptr;  ///< the end that has given out a slot which may not be published before it is filled
  SlotRange held_slot;
  const NativePort* lead = nullptr;  ///< the port at which a step is most likely to wait

  /// Waits for an open range of slots and returns it.
  virtual SlotRange await_room(RingEnd& ring_end) = 0;
  /// Does the same for tokens; throws FinishStep if the channel is closed and drained.
  virtual SlotRange await_token(RingEnd& ring_end) = 0;
  /// Returns an open range of tokens if there is one now.
  virtual SlotRange find_token(RingEnd& ring_end) = 0;
  virtual SlotRange find_room(RingEnd& ring_end) = 0;
  virtual bool closed(RingEnd& ring_end) = 0;
  /// The number of ranges of slots that this actor had opened when the head of `ring_end` was first seen; it stands for
  /// a time.
  virtual Time seen_at(const RingEnd& ring_end) const = 0;
  /// Tells the other end of `ring_end`, which waits for it, of the move that was just published.
  virtual void tell_other_end(RingEnd& ring_end) = 0;

  /// The time since the start of the run.
  virtual Time now() = 0;
  virtual void wait_until(Time time) = 0;

  /// Ends a step; `lead_open` tells whether `lead` has slots left.
  virtual AtBoundary before_next_step(bool lead_open) = 0;
  virtual void finish() = 0;
  virtual void fail() = 0;

  [[gnu::noinline]] void hold(RingEnd& ring_end, const SlotRange& slot) {
    publish_held();
    held = &ring_end;
    held_slot = slot;
    look = true;
  }
  void publish_held() {
    if (held == nullptr) return;
    if (held->published.load(std::memory_order_relaxed) == held_slot.next)
      held->publish(held_slot.end);  // otherwise a push has published it
    held = nullptr;
  }
  /// Ends a step that had `look` set; returns whether the step boundary has to be looked at.
  [[gnu::noinline]] bool after_step() {
    publish_held();
    look = false;
    return std::exchange(look_at_boundary, false);
  }
};

inline void RingEnd::publish(std::byte* to) {
  published.store(to, std::memory_order_release);
  // A worker that sets `watched` makes every core pass a barrier before it looks at `published` again. So only the
  // compiler could change the order of these two.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (watched.load(std::memory_order_relaxed)) [[unlikely]]
    actor->tell_other_end(*this);
}

/// A port's end of a ring, and its typed moves: slots are tokens, side by side.
struct NativePort {
  RingEnd* ring_end = nullptr;
  SlotRange slots;

  template <class T>
  T* slot() const {
    static_assert(alignof(T) <= 64, "rings begin at a cache line: a token cannot be aligned to more");
    return std::launder(reinterpret_cast<T*>(slots.next));
  }
  /// Takes the next token, in place. The ring has one slot more than the depth of the channel, so that the slot which
  /// was taken last is not written before the next one is taken.
  template <class T>
  const T* take() {
    const T* token = slot<T>();
    slots.next += sizeof(T);
    ring_end->publish(slots.next);
    return token;
  }
  template <class T>
  void push(const T& value) {
    await_room();
    *slot<T>() = value;
    slots.next += sizeof(T);
    ring_end->publish(slots.next);
  }
  template <class T>
  T& give_slot() {
    await_room();
    T* token = slot<T>();
    slots.next += sizeof(T);
    if (ring_end->apart) [[unlikely]]
      ring_end->actor->hold(*ring_end, {reinterpret_cast<std::byte*>(token), slots.next});
    else  // the other end looks when this actor waits or its step is over; by then the slot is filled
      ring_end->published.store(slots.next, std::memory_order_release);
    return *token;
  }
  /// All slots of the range, if it is open.
  template <class T>
  std::span<T> burst() const {
    return {slot<std::remove_const_t<T>>(), static_cast<std::size_t>(slots.end - slots.next) / sizeof(T)};
  }
  /// Notes that this number of them has been read or filled.
  template <class T>
  void advance(std::size_t tokens) {
    slots.next += tokens * sizeof(T);
    ring_end->publish(slots.next);
  }
  void await_token() {
    if (!slots.open()) [[unlikely]]
      reach(ring_end->actor->await_token(*ring_end));
  }
  void await_room() {
    if (!slots.open()) [[unlikely]]
      reach(ring_end->actor->await_room(*ring_end));
  }
  bool find_token() {
    if (!slots.open()) [[unlikely]]
      reach(ring_end->actor->find_token(*ring_end));
    return slots.open();
  }
  bool find_room() {
    if (!slots.open()) [[unlikely]]
      reach(ring_end->actor->find_room(*ring_end));
    return slots.open();
  }

 private:
  /// Assigns field by field: the compiler keeps a range that is returned as a whole in memory.
  void reach(const SlotRange& to) {
    slots.next = to.next;
    slots.end = to.end;
  }
};

}  // namespace isthmus::engine
