#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "isthmus/engine/actor_id.hpp"
#include "isthmus/engine/detail/channel.hpp"
#include "isthmus/engine/detail/failed_polls.hpp"
#include "isthmus/engine/detail/spans.hpp"

namespace isthmus {

class Occupancy;

}  // namespace isthmus

namespace isthmus::engine {

class NativeContext;
class Scheduler;
struct FiberSlot;

/// Why an actor does not run at this moment.
enum class Wait : std::uint8_t {
  none,  ///< it runs or is ready to
  // Waits for news of one channel.
  read,    ///< in `read`, no token known
  push,    ///< in `push` or `slot`, no free slot known
  answer,  ///< it asked something that another actor may still change
  turn,    ///< it could start a step, but is likely to block in it
  // Other waits.
  sleep,     ///< nothing it asked can change before `known_wake`, as far as known
  horizon,   ///< its next act lies past its horizon
  trimming,  ///< it is so far ahead that the history of its channels would be lost
  finished,
};

/// Ends a step from inside: the actor read from a channel that is closed and drained.
struct FinishStep {};
/// Unwinds a step that will never be resumed, when a run ends.
struct StopStep {};

/// The place in which a port keeps the tick of its last move: the header of the slot before its cursor.
struct LastMove {
  explicit LastMove(const PortState& of)
      : port(&of),
        behind_cursor(of.channel->stride -
                      (of.reads() ? offsetof(SlotHeader, popped_at) : offsetof(SlotHeader, pushed_at))) {}

  const PortState* port;
  std::size_t behind_cursor;  ///< bytes
};

/// A tick of a type that no token has. Otherwise the compiler must take the store of a token for one of any integer of
/// its size, and would load the tick again after it.
class UnaliasedTick {
  enum class Stored : Tick {};

 public:
  constexpr explicit UnaliasedTick(Tick tick) : stored_(Stored{tick}) {}
  UnaliasedTick& operator=(Tick tick) {
    stored_ = Stored{tick};
    return *this;
  }
  operator Tick() const { return static_cast<Tick>(stored_); }

 private:
  Stored stored_;
};

/// The present tick of the actor that runs on this thread; `Actor::now` holds it for all others. It is thread-local,
/// because ports read it at every token.
extern thread_local constinit UnaliasedTick running_now __attribute__((tls_model("initial-exec")));

/// The fields that are looked at if there is news for an actor, in one word.
struct Standing {
  Wait wait = Wait::none;
  bool ready = false;
  bool trim_due = false;   ///< half a ring was filled since the last check that no needed history is written over
  bool held_back = false;  ///< actors run in a random order, which news does not change

  static_assert(std::endian::native == std::endian::little, "`wait` is the lowest byte of the word");
  /// Tells whether the actor waits for this, and no other field is set.
  bool only(Wait for_what) const { return std::bit_cast<std::uint32_t>(*this) == static_cast<std::uint32_t>(for_what); }
  /// Tells whether the actor waits for news of a channel, by one of the first four kinds of wait, and no other field is
  /// set.
  bool only_for_news() const {
    return std::bit_cast<std::uint32_t>(*this) - 1 < static_cast<std::uint32_t>(Wait::turn);
  }
};

/// An actor as the scheduler sees it: its place in time and the reason for its wait. The user's struct is in the
/// derived ActorOf<T>.
struct alignas(64) Actor : Standing {
  static constexpr Tick kCheckNow = -1;  ///< value of `next_check` and `may_wait_to`: before every tick

  // The fields lie in four cache lines: one for every step; one for a wait; one for a look at an actor that waits or is
  // told of news; one for its activity.
  bool has_news = false;         ///< it is in the list of actors that were told of a move
  bool needs_slow_path = false;  ///< this step had a failed poll, waited or is watched: its end needs a closer look
  bool waited = false;           ///< this step waited for a time
  bool clocked = false;
  Tick now = 0;
  /// The first tick at which the loop of steps needs a closer look; the waits since then put it off.
  Tick next_check = kCheckNow;
  /// After a wait to this tick all steps before `next_check` still start before `next_boundary_check`.
  Tick may_wait_to = kCheckNow;
  Tick initiation_interval = 1;
  /// The first tick past the horizon, or the tick of a step that may have to be watched; at times an earlier one.
  Tick next_boundary_check = 0;

  Tick horizon = 0;           ///< the last tick at which it may act
  Tick advanced = 0;          ///< `a` of rule 2; it contains no wait for a token or a slot
  Tick watch_at = 0;          ///< the first step to start from here on is watched, if nothing has moved for some time
  Tick waited_at = -1;        ///< the end of the last wait for a time
  PortState* gate = nullptr;  ///< the first input of an actor without `done()`, which is not done while it has a token
  PortState* expects = nullptr;        ///< the port at which a step last blocked: the next step waits for news of it
  PortState* expects_token = nullptr;  ///< `expects`, if it is an open input of an actor with `done()`
  Channel* waits_on = nullptr;
  Scheduler* scheduler = nullptr;

  Tick wait_began = 0;
  bool moved = false;  ///< a slow path moved a token; kept only without a clock
  bool sensed_time = false;
  Poll polled = Poll::token;
  bool failed = false;
  bool listed = false;   ///< it is in the list that the scheduler looks through when nothing can run
  bool crosses = false;  ///< it has windows to actors whose ticks are not its own
  bool feeds_itself = false;
  bool blocked_lately = false;
  bool periodic = false;
  bool trivial = false;
  bool has_done = false;
  Activity parked_activity = Activity::busy;  ///< activity since `wait_began` of an actor that waits for its horizon
  int vain_turns = 0;  ///< how often only its own next step would have brought news of what it expects
  int index = 0;
  std::vector<Channel*> inputs;
  std::vector<Channel*> outputs;

  Spans spans;
  FiberSlot* fiber = nullptr;  ///< the stack of a step that waits, while `run` is null

  Grid grid;
  NativeContext* native = nullptr;  ///< set if the graph runs in real time

  // State of a wait.
  Tick resume_at = 0;  ///< next act of an actor that waits for its horizon
  Tick known_wake = kNever;
  Tick sleep_period = 0;        ///< ticks from step to step; 0 if only news makes a step
  bool idle = false;            ///< docs/time.md, "The end"
  bool busy_asleep = false;     ///< the steps that it sleeps through had no failed poll
  std::vector<LastMove> moves;  ///< last moves of its ports; first that of the port that a step last moved
  std::uint8_t told_end = 0;    ///< exceptions thrown to it to end a step; if it catches one, it has failed
  Tick idle_since = 0;
  Tick unwatched = 0;  ///< ticks that it may go before the scheduler looks at the rest of the run

  // State of silent steps.
  Tick step_start = 0;        ///< start of the last step that moved nothing
  Tick silent_until = -1;     ///< tick of `snapshot`: end of the last step that may repeat, or start of a watched one
  bool promised = false;      ///< this step called `timer.wait(ports...)`
  Tick polls_since = kNever;  ///< end of the first silent step of an actor that the engine cannot put to sleep
  FailedPolls failed_polls;
  std::vector<std::byte> snapshot;
  Tick promises = 0;  ///< number of such calls; the ports of the last call have this number

  // Identity and activity.
  std::string pll;
  std::string name;
  const char* group = "";
  std::int64_t message = -1;        ///< message on which it works, if that is known and observed
  StateObserver* states = nullptr;  ///< observer of its states, if there is one
  std::vector<Occupancy*> occupancies;
  std::int64_t blocked_before = 0;  ///< femtoseconds of spans that are no longer kept
  std::int64_t starved_before = 0;
  std::int64_t told_until = -1;  ///< time up to which an observer knows its states
  Tick finished_at = kNever;
  bool ended = false;  ///< its run is over
  Tick instant = -1;   ///< instant of the last operations without a clock that took no time; `at_instant` counts them
  int at_instant = 0;
  std::exception_ptr failure;

  virtual ~Actor() = default;
  ActorId id() const { return {static_cast<std::size_t>(index)}; }
  /// Runs steps until the actor finishes or has to wait at its step boundary; suspends the present fiber if the actor
  /// has to wait inside a step, and is null while it does. Returns the actor to run next, if that is known.
  Actor* (*run)(Actor&) = nullptr;
  bool stands_in_step() const { return run == nullptr; }
  /// Runs steps in real time, for as long as `native` lets it.
  virtual void run_native() = 0;
  /// Called when the run is over.
  virtual void end_run() = 0;
  /// Copies the bytes of a trivially copyable actor without its ports and timers.
  virtual void copy_state(std::vector<std::byte>& to) const = 0;
  virtual bool same_state(const std::vector<std::byte>& as) const = 0;

  /// The tick at which the next step starts after one that advanced to `now` (rule 2).
  Tick after_advances() { return now + std::max<Tick>(initiation_interval - std::exchange(advanced, 0), 1); }
  /// Lets this number of steps start, from `now` on, before a closer look.
  void set_next_check(Tick steps) {
    next_check = std::min(next_boundary_check, now + steps * initiation_interval);
    may_wait_to = next_boundary_check - (next_check - now);
  }
  /// Notes that a step has waited at `port` up to `now`.
  void wait_out(const PortState& port) {
    // A step that waits at another port may go on to take more tokens than one from the gate, at another tick.
    if (now > may_wait_to || (gate != nullptr && gate != &port)) force_check();
  }
  void require_slow_path() {
    needs_slow_path = true;
    force_check();
  }
  void force_check() { next_check = kCheckNow; }
  /// Forces a check at each wait too, because `next_boundary_check` may have come nearer.
  void forbid_waits() { next_check = may_wait_to = kCheckNow; }
  void note_failed_poll(Channel& channel, Poll what, Tick at) {
    require_slow_path();
    failed_polls.add({&channel, what, at});
  }
};

/// The slow paths of ports. Each returns when what was asked is known; the actor's `now` may have moved.
///
/// `claim` leaves `port.cursor` at the slot of the next push or, for an input, of a token visible now; `publish` and
/// `release` record the move where the window is empty. `token_visible`, which counts as an access, `peek` and
/// `slot_free` answer for the present tick.
void claim_slot(PortState& port);
/// Tells whether `claim_slot` would neither wait nor advance, as far as is known; this call does neither.
bool slot_at_hand(const PortState& port);
void publish(PortState& port);
/// The end of the list of actors that were told of a move and at which the scheduler of this thread has not looked.
extern thread_local constinit Actor** news_end __attribute__((tls_model("initial-exec")));

/// Makes `actor` wait for news of a channel: the next move of `port`, the other end, tells it.
inline void listen_to(PortState& port, Actor& actor) {
  port.listener = &actor;
}
/// Tells the listener of `port` of a move. The listener may no longer wait for it, which does no harm.
inline void tell_listener(PortState& port) {
  Actor& actor = *std::exchange(port.listener, nullptr);
  if (std::exchange(actor.has_news, true)) return;
  *news_end++ = &actor;
}
void claim_token(PortState& port);
void release(PortState& port);
bool token_visible(PortState& port);
bool peek(PortState& port);
bool slot_free(PortState& port);
bool channel_closed(PortState& port);
/// Advances the actor a tick because it asks the same again.
void advance(Actor& actor);
Time time_of(const Actor& actor);
void wait_until(Actor& actor, Time time);
void wait_for(Actor& actor, Time time);
void works_on(Actor& actor, std::int64_t message);

/// Waits for the head token of an input, and returns true, if that token only takes time and comes as long after the
/// last one as that came after the one before; else does nothing and returns false. For a slot that holds no token the
/// wait would be shorter than a tick, and there is no such span.
[[gnu::always_inline]] inline bool await_next(PortState& port) {
  const Tick now = running_now;
  const Tick ready = Channel::header_at(port.cursor).pushed_at + port.wait_latency;
  Actor& actor = *port.actor;
  if (ready > actor.may_wait_to || !actor.spans.prolong(now, ready, Activity::starved)) return false;
  running_now = ready;
  return true;
}

/// The step boundary, between two steps: what ActorOf<T>::run asks of the scheduler.
enum class AtBoundary : std::uint8_t { step, leave };
/// Ends the step of an actor with a clock, at the tick at which its next step would start if the last one neither
/// waited for a time nor was silent. Leaves that tick in `now`. Returns the actor that starts a step now: the same
/// actor, whose `next_check` is later then; another, for which it leaves; or null if that is not known.
Actor* before_next_step(Actor& actor, Tick next);
AtBoundary before_next_clockless_step(Actor& actor);
AtBoundary after_silent_step(Actor& actor, Tick step_start);
AtBoundary after_vain_wait(Actor& actor, Tick step_start);
AtBoundary at_same_instant(Actor& actor);
void caught_its_end(Actor& actor);
void finish(Actor& actor);
void fail(Actor& actor, std::exception_ptr why);

}  // namespace isthmus::engine
