#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "isthmus/engine/clock.hpp"

namespace isthmus::engine {

struct Actor;
struct Channel;

/// Is told of every token that moves; for tests and traces. Times are absolute.
class ChannelObserver {
 public:
  virtual ~ChannelObserver() = default;
  virtual void pushed(int channel, Time at) = 0;
  virtual void popped(int channel, Time at) = 0;
};

/// What stands before each token in a channel's ring: its history.
struct SlotHeader {
  Tick pushed_at;  ///< writer tick
  Tick popped_at;  ///< reader tick
};

/// One end of a channel as it lies in the user's actor.
///
/// Between `cursor` and `window_end` a token moves without a look at the rest of the channel: the i-th of them can move
/// i ticks after the window was opened, and a port moves at most one token a tick. The window is empty where moves are
/// observed or the two ends do not count the same edges.
struct PortState {
  std::byte* cursor = nullptr;  ///< the slot of the next token
  std::byte* window_end = nullptr;
  Tick last_access = -1;
  Actor* actor = nullptr;
  Channel* channel = nullptr;
  Tick last_no = -1;  ///< of `peek`, `front` or `room`
  Tick last_no_closed = -1;
  std::byte* window_begin = nullptr;
  std::uint64_t moved_before = 0;  ///< tokens moved before `window_begin`
};

/// Frees bytes allocated at the alignment of a cache line.
struct AlignedDelete {
  void operator()(std::byte* bytes) const { ::operator delete[](bytes, std::align_val_t{64}); }
};

/// A bounded FIFO between two actors, with the tick of every push and pop (docs/time.md, "A channel").
///
/// The ring has several times `depth` slots: those that hold no token are the record from which counts at the end of a
/// run are taken when an actor had already run past that end.
struct Channel {
  PortState* writer_port = nullptr;
  PortState* reader_port = nullptr;
  Actor* writer = nullptr;
  Actor* reader = nullptr;
  std::uint64_t depth = 0;
  std::uint64_t slots = 0;   ///< a power of two
  std::uint32_t stride = 0;  ///< bytes from slot to slot: an odd number shifted by `stride_shift`
  std::uint32_t stride_shift = 0;
  std::uint32_t stride_inverse =
      1;  ///< of the odd number, modulo 2^32: makes a division of a multiple a multiplication
  std::byte* ring = nullptr;
  Crossing forward;
  Crossing back;
  bool observed = false;
  bool windows = false;          ///< ticks of one end are ticks of the other, and nobody watches
  Tick close_visible = kNever;   ///< reader tick from which the channel is closed, once the writer has finished
  std::vector<Tick> visible_at;  ///< reader ticks, kept only where `pushed_at` does not tell them
  std::vector<Tick> free_at;     ///< writer ticks
  int index = 0;
  int client_key = 0;
  int synchroniser = 0;
  std::string name;
  std::unique_ptr<std::byte[], AlignedDelete> storage;

  bool direct() const { return forward.direct(); }
  bool closing() const { return close_visible != kNever; }
  std::uint64_t moved(const PortState& port) const {
    const auto bytes = static_cast<std::uint32_t>(port.cursor - port.window_begin);
    return port.moved_before + (bytes >> stride_shift) * stride_inverse;
  }
  std::uint64_t pushed() const { return moved(*writer_port); }
  std::uint64_t popped() const { return moved(*reader_port); }
  bool empty() const { return pushed() == popped(); }
  bool full() const { return pushed() - popped() == depth; }
  std::byte* slot(std::uint64_t n) const { return ring + (n & (slots - 1)) * stride; }
  SlotHeader& header(std::uint64_t n) const { return *std::launder(reinterpret_cast<SlotHeader*>(slot(n))); }
  /// The reader tick from which token `n` can be pulled.
  Tick visible(std::uint64_t n) const {
    return direct() ? header(n).pushed_at + forward.latency() : visible_at[n & (slots - 1)];
  }
  Tick head_visible() const { return visible(popped()); }
  /// The writer tick from which token `n` finds its slot, where that slot was popped at all.
  Tick slot_free(std::uint64_t n) const {
    if (n < depth) return 0;
    return direct() ? header(n - depth).popped_at + back.latency() : free_at[(n - depth) & (slots - 1)];
  }
  Tick next_slot_free() const { return slot_free(pushed()); }
};

}  // namespace isthmus::engine
