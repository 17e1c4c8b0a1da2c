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

/// What stands before each token in a channel's ring.
struct SlotHeader {
  Tick visible;  ///< reader tick from which the token can be pulled
  Tick free_at;  ///< writer tick from which the slot it left can be filled again
};

/// One end of a channel as it lies in the user's actor. Between `cursor` and `window_end` a token moves without a look at the rest of
/// the channel; the window is empty where somebody must be told or the two ends do not count the same edges.
struct PortState {
  std::byte* cursor = nullptr;  ///< the slot of the next token
  std::byte* window_end = nullptr;
  Tick last_access = -1;
  std::ptrdiff_t earlier = 0;  ///< an output: from a slot to the one whose leaving makes room for it
  Tick latency = 1;            ///< from a tick here to the tick at the other end, where the window is not empty
  Actor* actor = nullptr;
  Channel* channel = nullptr;
  Tick last_no = -1;         ///< of `peek`, `front` or `room`
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
/// The ring has several times `depth` slots: those that hold no token are the record from which counts at the end of a run are
/// taken when an actor had already run past that end.
struct Channel {
  PortState* writer_port = nullptr;
  PortState* reader_port = nullptr;
  Actor* writer = nullptr;
  Actor* reader = nullptr;
  std::uint64_t depth = 0;
  std::uint64_t slots = 0;  ///< a power of two
  std::size_t stride = 0;   ///< bytes from slot to slot
  std::byte* ring = nullptr;
  Crossing forward;
  Crossing back;
  bool tell_push = false;  ///< somebody waits for a token
  bool tell_pop = false;   ///< somebody waits for a slot
  bool observed = false;
  Tick close_visible = kNever;  ///< reader tick from which the channel is closed, once the writer has finished
  std::vector<Tick> pushed_at;  ///< writer ticks, kept only where `visible` does not tell them
  std::vector<Tick> popped_at;
  int index = 0;
  int client_key = 0;
  int synchroniser = 0;
  std::string name;
  std::unique_ptr<std::byte[], AlignedDelete> storage;

  bool direct() const { return forward.direct(); }
  bool closing() const { return close_visible != kNever; }
  std::uint64_t moved(const PortState& port) const {
    return port.moved_before + static_cast<std::uint64_t>(port.cursor - port.window_begin) / stride;
  }
  std::uint64_t pushed() const { return moved(*writer_port); }
  std::uint64_t popped() const { return moved(*reader_port); }
  bool empty() const { return pushed() == popped(); }
  bool full() const { return pushed() - popped() == depth; }
  std::byte* slot(std::uint64_t n) const { return ring + (n & (slots - 1)) * stride; }
  SlotHeader& header(std::uint64_t n) const { return *std::launder(reinterpret_cast<SlotHeader*>(slot(n))); }
  Tick head_visible() const { return header(popped()).visible; }
  /// The writer tick from which the next push finds its slot, where that slot was popped at all.
  Tick next_slot_free() const { return header(pushed() - depth).free_at; }
  /// The writer tick of token `n`, one of the last `slots`.
  Tick push_tick(std::uint64_t n) const {
    return direct() ? header(n).visible - forward.latency() : pushed_at[n & (slots - 1)];
  }
  Tick pop_tick(std::uint64_t n) const { return direct() ? header(n).free_at - back.latency() : popped_at[n & (slots - 1)]; }
};

}  // namespace isthmus::engine
