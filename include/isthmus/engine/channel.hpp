#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <typeinfo>
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

/// Frees bytes allocated at the alignment of a cache line.
struct AlignedDelete {
  void operator()(std::byte* bytes) const { ::operator delete[](bytes, std::align_val_t{64}); }
};

/// A bounded FIFO between two actors, with the tick of every push and pop (docs/time.md, "A channel").
///
/// Values live in a ring of at least `depth` slots. The rings of ticks are longer: they are also the record from which counts at
/// the end of a run are taken when an actor had already run past that end.
struct Channel {
  // What a push or pop touches.
  std::uint64_t pushed = 0;
  std::uint64_t popped = 0;
  std::uint64_t depth = 0;
  std::uint64_t value_mask = 0;
  std::uint64_t tick_mask = 0;
  std::byte* values = nullptr;
  Tick* visible = nullptr;  ///< reader tick from which token n can be pulled, at [n & tick_mask]
  Tick* free_at = nullptr;  ///< writer tick from which the slot of token n can be filled again
  Tick forward_latency = 1;
  Tick return_latency = 1;
  bool direct = true;        ///< both ends count the same edges
  bool tell_push = false;    ///< somebody waits for a token, or observes
  bool tell_pop = false;     ///< somebody waits for a slot, or observes
  bool observed = false;
  Actor* writer = nullptr;
  Actor* reader = nullptr;

  // The rest.
  Tick close_visible = kNever;  ///< reader tick from which the channel is closed, once the writer has finished
  Crossing forward;
  Crossing back;
  std::vector<Tick> pushed_at;  ///< writer ticks, kept only where `visible` does not tell them
  std::vector<Tick> popped_at;
  int index = 0;
  int client_key = 0;
  std::string name;
  std::size_t token_size = 0;
  int synchroniser = 0;
  std::unique_ptr<std::byte[], AlignedDelete> value_storage;
  std::unique_ptr<Tick[]> tick_storage;

  bool empty() const { return pushed == popped; }
  bool full() const { return pushed - popped == depth; }
  Tick head_visible() const { return visible[popped & tick_mask]; }
  /// The writer tick from which the next push finds its slot, where that slot was popped at all.
  Tick next_slot_free() const { return free_at[(pushed - depth) & tick_mask]; }
  Tick forward_tick(Tick writer_tick) const { return direct ? writer_tick + forward_latency : forward.map(writer_tick); }
  Tick back_tick(Tick reader_tick) const { return direct ? reader_tick + return_latency : back.map(reader_tick); }
  /// The writer tick of token `n`, one of the last `tick_mask + 1`.
  Tick push_tick(std::uint64_t n) const {
    return direct ? visible[n & tick_mask] - forward_latency : pushed_at[n & tick_mask];
  }
  Tick pop_tick(std::uint64_t n) const {
    return direct ? free_at[n & tick_mask] - return_latency : popped_at[n & tick_mask];
  }
  void record_push(Tick now) {
    const auto slot = pushed & tick_mask;
    if (direct) [[likely]] {
      visible[slot] = now + forward_latency;
    } else {
      visible[slot] = forward.map(now);
      pushed_at[slot] = now;
    }
    ++pushed;
  }
  void record_pop(Tick now) {
    const auto slot = popped & tick_mask;
    if (direct) [[likely]] {
      free_at[slot] = now + return_latency;
    } else {
      free_at[slot] = back.map(now);
      popped_at[slot] = now;
    }
    ++popped;
  }
};

}  // namespace isthmus::engine
