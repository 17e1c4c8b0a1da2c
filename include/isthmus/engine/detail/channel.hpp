#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "isthmus/engine/clock.hpp"
#include "isthmus/engine/detail/ring_end.hpp"

namespace isthmus::engine {

struct Actor;
struct Channel;

/// Tells whether moves and states can be observed at all. Benchmarks compile an engine without this, to measure its
/// cost.
#ifdef ISTHMUS_UNOBSERVED
inline constexpr bool kObservable = false;
#else
inline constexpr bool kObservable = true;
#endif

/// Gets every token that moves; for tests and traces. Times are absolute.
class ChannelObserver {
 public:
  virtual ~ChannelObserver() = default;
  virtual void pushed(int channel, Time at) = 0;
  virtual void popped(int channel, Time at) = 0;
};

/// A tick before every tick at which an actor can be.
inline constexpr Tick kLongAgo = -(Tick{1} << 61);

/// The kind of windows that a channel has: some if both ends have clocks and nobody observes.
enum class Windows : std::uint8_t {
  none,
  alike,   ///< the ticks of one end are ticks of the other
  across,  ///< they are not: tokens that come in time are found by their times
};

/// The header before each token in a channel's ring: its history.
struct SlotHeader {
  Tick pushed_at = kLongAgo;  ///< writer tick
  Tick popped_at = kLongAgo;  ///< reader tick
};

/// The last result of a crossing, since the same act is looked up again and again.
struct LastSeen {
  Tick act = kNever;
  Tick at = kNever;
};

/// The ticks at which polls of inputs that are polled together (SilentInputs) failed: of all of them, and of one that
/// was polled by itself.
struct JointPolls {
  Tick all = -1;
  Tick alone = -1;
};

/// One end of a channel as it lies in the user's actor.
///
/// Between `cursor` and `window_end` a token moves without a look at the rest of the channel: the i-th of them can move
/// i ticks after the window was opened, and a port moves at most one token a tick. The window is empty where moves are
/// observed or an end has no clock, and ends before `stop`.
struct alignas(64) PortState {
  /// Value of `wait_latency`: no wait is that long.
  static constexpr Tick kNoWait = Tick{1} << 60;

  // The fields that a token, and a wait for one, touch lie in one cache line. `cursor` and `window_end` are not
  // neighbours: the compiler would store a pair by way of a vector register, which takes longer.
  std::byte* cursor = nullptr;  ///< the slot of the next token
  Tick latency = 0;             ///< latency of an input's tokens, in ticks of both ends; 0 for an output
  std::byte* window_end = nullptr;
  Actor* listener = nullptr;  ///< actor of the other end, if it may wait for news of this end's next move
  /// `latency` of an input whose next token may be waited for by its header alone: `Channel::wait_latency`, except
  /// after a failed poll; else `kNoWait`. The header of a slot that holds no token is that of a token which became
  /// visible in the past.
  Tick wait_latency = kNoWait;
  std::byte* stop = nullptr;  ///< slot in the ring's middle or its last slot: moves across it use Channel::step
  Actor* actor = nullptr;
  Tick last_miss = -1;  ///< tick of a `pull` that found nothing
  Channel* channel = nullptr;
  PortState* peer = nullptr;     ///< the channel's other end
  Tick last_failed_poll = -1;    ///< tick of a `peek`, `front` or `room` that failed
  Tick last_failed_closed = -1;  ///< tick of a `closed` that failed
  Tick promise = -1;             ///< number of the last `timer.wait(ports...)` that named this port
  std::uint64_t laps = 0;        ///< tokens moved in whole rounds of the ring
  /// For an input with a clock: a tick before which no token behind the window is visible. It only rises.
  Tick nothing_before = 0;
  NativePort native;  ///< used in place of all other fields if the graph runs in real time

  bool reads() const { return latency != 0; }
};
/// Frees bytes allocated at the alignment of a cache line.
struct AlignedDelete {
  void operator()(std::byte* bytes) const { ::operator delete[](bytes, std::align_val_t{64}); }
};

/// A bounded FIFO between two actors, with the tick of every push and pop (docs/time.md, "A channel").
///
/// The ring has several times `depth` slots: those that hold no token are the history from which counts at the end of a
/// run are taken when an actor had already run past that end. Before the first slot stands a copy of the last one's
/// header, so that every slot has the header of the move before.
struct alignas(64) Channel {
  // The fields that are looked at when actors change: two cache lines and the beginning of `back`.
  PortState* writer_port = nullptr;
  PortState* reader_port = nullptr;
  Actor* writer = nullptr;
  Actor* reader = nullptr;
  std::int64_t depth_bytes = 0;
  std::int64_t ring_bytes = 0;
  std::byte* ring = nullptr;
  std::uint32_t stride = 0;  ///< bytes from slot to slot: an odd number shifted by `stride_shift`
  std::uint32_t stride_shift = 0;
  std::uint32_t stride_inverse =
      1;  ///< inverse of the odd number, modulo 2^32: makes a division of a multiple a multiplication
  bool observed = false;
  Windows windows = Windows::none;
  Tick earliest_token = 0;      ///< reader tick before which no further token becomes visible (lower bound)
  Tick earliest_slot = 0;       ///< writer tick before which no further slot becomes free (lower bound)
  Tick close_visible = kNever;  ///< reader tick from which the channel is closed, once the writer has finished
  Crossing forward;
  Crossing back;
  std::byte* middle_slot = nullptr;
  std::byte* last_slot = nullptr;
  std::uint64_t depth = 0;
  std::uint64_t slots = 0;                 ///< a power of two
  std::vector<std::int64_t> messages;      ///< message of the writer of each token, by slot, if states are observed
  Tick wait_latency = PortState::kNoWait;  ///< `PortState::wait_latency` of the reader
  JointPolls* joint_polls = nullptr;       ///< set if the reader polls this head together with those of other channels
  bool returns = false;  ///< its tokens bring entries back, and do not change the message on which the reader works
  int index = 0;
  int client_key = 0;
  int synchroniser = 0;
  std::string name;

  bool direct() const { return forward.direct(); }
  bool closing() const { return close_visible != kNever; }
  bool empty() const { return writer_port->cursor == reader_port->cursor; }
  /// Bytes of the tokens that are pushed and not yet popped.
  std::int64_t bytes() const {
    const auto ahead = writer_port->cursor - reader_port->cursor;
    return ahead < 0 ? ahead + ring_bytes : ahead;
  }
  bool full() const { return bytes() == depth_bytes; }

  std::uint64_t tokens(std::int64_t bytes) const {
    return (static_cast<std::uint32_t>(bytes) >> stride_shift) * stride_inverse;
  }
  std::uint64_t moved(const PortState& port) const { return port.laps + tokens(port.cursor - ring); }
  std::uint64_t pushed() const { return moved(*writer_port); }
  std::uint64_t popped() const { return moved(*reader_port); }
  std::byte* slot(std::uint64_t n) const { return ring + (n & (slots - 1)) * stride; }
  static SlotHeader& header_at(std::byte* slot) { return *std::launder(reinterpret_cast<SlotHeader*>(slot)); }
  SlotHeader& header(std::uint64_t n) const { return header_at(slot(n)); }
  /// Moves `port` on by a slot; returns true after each half of the ring.
  bool step(PortState& port) const {
    const bool half = port.cursor == port.stop;
    if (port.cursor != last_slot) {
      port.cursor += stride;
      if (half) port.stop = last_slot;
      return half;
    }
    header_at(ring - stride) = header_at(last_slot);
    port.cursor = ring;
    port.stop = middle_slot;
    port.laps += slots;
    return true;
  }
  Tick last_pushed_at() const { return header_at(writer_port->cursor - stride).pushed_at; }
  Tick last_popped_at() const { return header_at(reader_port->cursor - stride).popped_at; }

  /// The slot whose last pop frees the one at `slot`.
  std::byte* freed_by(std::byte* slot) const {
    std::byte* before = slot - depth_bytes;
    return before < ring ? before + ring_bytes : before;
  }
  /// The reader tick from which token `n` can be pulled.
  Tick visible(std::uint64_t n) const { return seen(forward, header(n).pushed_at); }
  Tick head_visible() const { return seen(forward, header_at(reader_port->cursor).pushed_at); }
  /// The reader tick from which the head can be pulled, for callers that ask again and again.
  Tick head_visible_still() const { return seen(forward, header_at(reader_port->cursor).pushed_at, head_seen_); }
  /// The same tick for the token behind the head, if that does not lie in another half of the ring: it is the next that
  /// is asked for.
  Tick visible_behind_head() const {
    return seen(forward, header_at(reader_port->cursor + stride).pushed_at, head_seen_);
  }
  /// The writer tick from which the next token finds its slot, if that slot was popped at all.
  Tick next_slot_free() const { return seen(back, header_at(freed_by(writer_port->cursor)).popped_at); }

 private:
  /// The tick at which the other end sees a past act. An act that has happened is not so late that the other end would
  /// see it past the end of time, if crossing is an addition.
  static Tick seen(const Crossing& way, Tick act) { return way.direct() ? act + way.latency() : way.map(act); }
  static Tick seen(const Crossing& way, Tick act, LastSeen& last) {
    if (way.direct()) return act + way.latency();
    if (last.act != act) last = {act, way.map(act)};
    return last.at;
  }

  mutable LastSeen head_seen_;
};

}  // namespace isthmus::engine
