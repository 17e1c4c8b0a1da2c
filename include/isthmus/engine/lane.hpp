#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "isthmus/base/units.hpp"

namespace isthmus::engine {

class Live;
enum class Border : std::uint8_t;

/// One end of a channel on a back end that runs in real time (src/stream/native).
///
/// Between `next` and `end` tokens move without a look at the other end, and each is published at once: the other end
/// looks when it has used up its own stretch, and then takes all there is. So moves come in batches and nothing is held
/// back.
///
/// What different cores write is two cache lines apart: processors fetch lines in pairs.
struct alignas(128) Lane {
  // The owner's alone, but for `watched`.
  std::byte* next = nullptr;  ///< the slot of the next token
  std::byte* end = nullptr;   ///< of the stretch
  Live* actor = nullptr;
  std::atomic<bool> watched = false;  ///< the other end's worker is about to sleep: it is to be told of the next move

  // What the other end looks at.
  alignas(128) std::atomic<std::byte*> published = nullptr;  ///< the slot after the last that was moved

  bool open() const { return next != end; }
  inline void publish(std::byte* to);
};

/// An actor as ports and its loop of steps see it on such a back end. The functions are the slow paths: they come once
/// a stretch.
class Live {
 public:
  virtual ~Live() = default;

  int fuel = 0;          ///< steps until the border between two of them is looked at
  Lane* held = nullptr;  ///< has given out a slot that may not be published before it is filled
  Lane* first_input = nullptr;

  /// Returns with the lane open.
  virtual void await_room(Lane& lane) = 0;
  /// The same; throws FinishStep where the channel is closed and drained.
  virtual void await_token(Lane& lane) = 0;
  /// Opens the lane if that can be done now.
  virtual bool find_token(Lane& lane) = 0;
  virtual bool find_room(Lane& lane) = 0;
  virtual bool closed(Lane& lane) = 0;
  /// In place of a time: how many stretches this actor had opened when the head of `lane` was first seen.
  virtual Time seen_at(const Lane& lane) const = 0;
  /// The other end of `lane` waits for the move that was just published.
  virtual void tell_other_end(Lane& lane) = 0;

  /// Since the start of the run.
  virtual Time now() = 0;
  virtual void wait_until(Time time) = 0;

  /// Between two steps, once there is no fuel.
  virtual Border border() = 0;
  virtual void finish() = 0;
  virtual void fail() = 0;

  void hold(Lane& lane) {
    if (held != nullptr && held != &lane) held->publish(held->next);
    held = &lane;
  }
  void publish_held() {
    if (held == nullptr) return;
    held->publish(held->next);
    held = nullptr;
  }
};

inline void Lane::publish(std::byte* to) {
  published.store(to, std::memory_order_release);
  // Whoever sets `watched` makes every core pass a barrier before it looks at `published` again, so that the order of
  // these two is a matter of the compiler alone.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (watched.load(std::memory_order_relaxed)) [[unlikely]]
    actor->tell_other_end(*this);
}

/// The typed moves of a lane: slots are tokens, side by side.
template <class T>
const T* lane_head(const Lane& lane) {
  static_assert(alignof(T) <= 64, "rings begin at a cache line: a token cannot be aligned to more");
  return std::launder(reinterpret_cast<const T*>(lane.next));
}
template <class T>
void lane_take(Lane& lane) {
  lane.next += sizeof(T);
  lane.publish(lane.next);
}
template <class T>
bool lane_pull(Lane& lane, T* value) {
  if (!lane.open() && !lane.actor->find_token(lane)) return false;
  if (value != nullptr) *value = *lane_head<T>(lane);
  lane_take<T>(lane);
  return true;
}
template <class T>
void lane_read(Lane& lane, T& value) {
  if (!lane.open()) [[unlikely]]
    lane.actor->await_token(lane);
  value = *lane_head<T>(lane);
  lane_take<T>(lane);
}
/// The ring has a slot more than the channel is deep: the one that was taken last is not written before the next is.
template <class T>
const T* lane_take_in_place(Lane& lane) {
  const T* token = lane_head<T>(lane);
  lane_take<T>(lane);
  return token;
}
template <class T>
const T* lane_pull_in_place(Lane& lane) {
  return lane.open() || lane.actor->find_token(lane) ? lane_take_in_place<T>(lane) : nullptr;
}
template <class T>
const T& lane_read_in_place(Lane& lane) {
  if (!lane.open()) [[unlikely]]
    lane.actor->await_token(lane);
  return *lane_take_in_place<T>(lane);
}
template <class T>
const T* lane_front(Lane& lane) {
  return lane.open() || lane.actor->find_token(lane) ? lane_head<T>(lane) : nullptr;
}
template <class T>
void lane_push(Lane& lane, const T& value) {
  if (!lane.open()) [[unlikely]]
    lane.actor->await_room(lane);
  *std::launder(reinterpret_cast<T*>(lane.next)) = value;
  lane.next += sizeof(T);
  lane.publish(lane.next);
}
template <class T>
T& lane_slot(Lane& lane) {
  if (!lane.open()) [[unlikely]]
    lane.actor->await_room(lane);
  T* token = std::launder(reinterpret_cast<T*>(lane.next));
  if (lane.actor->held == &lane) lane.publish(lane.next);
  lane.actor->hold(lane);
  lane.next += sizeof(T);
  return *token;
}

}  // namespace isthmus::engine
