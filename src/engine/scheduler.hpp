#pragma once

#include <algorithm>
#include <cstdint>
#include <queue>
#include <random>
#include <vector>

#include "fiber.hpp"
#include "isthmus/engine/detail/actor.hpp"
#include "isthmus/engine/graph.hpp"
#include "stall.hpp"

namespace isthmus::engine {

/// Tells whether the wait ends when there is news of one channel.
constexpr bool hears_news(Wait wait) {
  return wait >= Wait::read && wait <= Wait::turn;
}

/// The scheduler decides which actor runs. Each runs ahead on its own time until the answer to a poll is unknown or a
/// channel is full; then the actor whose answer is needed runs, or any that can. If none can, the earliest known event
/// happens.
class Scheduler {
 public:
  Scheduler(std::vector<Actor*> actors, std::vector<Channel*> channels, const RunOptions& options,
            ChannelObserver* observer);

  /// Runs to the end, and unwinds the steps that are unfinished then.
  RunReport run();

  // Slow paths of ports, on the fiber of the actor that asks.
  void advance(Actor& actor);
  void claim_slot(PortState& port);
  void claim_token(PortState& port);
  void await_in_step(PortState& port);
  bool token_visible(Actor& actor, Channel& channel);
  bool slot_free(Actor& actor, Channel& channel);
  bool channel_closed(Actor& actor, Channel& channel);
  void wait_to(Actor& actor, Tick target);
  template <class End>
  [[noreturn]] void end_step(Actor& actor);
  void note_push(Channel& channel);
  void note_pop(Channel& channel);

  // Functions of the loop of steps at its step boundary.
  Actor* boundary_of_one(Actor& actor, Tick next);
  Actor* boundary_after_more(Actor& actor, Tick next);
  Actor* hand_over(Actor& actor, PortState& awaited);
  AtBoundary before_next_clockless_step(Actor& actor);
  AtBoundary after_silent_step(Actor& actor, Tick step_start);
  AtBoundary after_vain_wait(Actor& actor, Tick step_start);
  AtBoundary at_same_instant(Actor& actor);
  void caught_its_end(Actor& actor);
  void finish(Actor& actor);
  void fail(Actor& actor, std::exception_ptr why);

 private:
  struct KnownWake {
    std::int64_t time;
    Actor* actor;
    Tick tick;
    bool operator>(const KnownWake& other) const {
      return time != other.time ? time > other.time : actor->index > other.actor->index;
    }
  };
  struct Wake {
    Tick known;  ///< the first start at which a failed poll is known to have another answer
    bool safe;   ///< and no other poll can have one earlier
  };

  void observe_messages();

  // The choice of the next actor.
  static void dispatch(void* scheduler);
  static void after_overflow(void* scheduler);
  Actor* pick(Actor* after);
  Actor* pick_any(const Actor* after);
  bool along_failed_polls(const Actor& from);
  Actor* answered_asker();
  Actor& next_ready();
  bool start(Actor& actor);
  bool keeps_history(Actor& actor);
  bool let_time_pass();
  bool looks_ahead(std::int64_t time);
  bool answer_polls();
  bool give_turns();
  std::int64_t earliest_known();
  bool act_at(std::int64_t time);
  void make_ready(Actor& actor) {
    if (actor.ready) return;
    actor.ready = true;
    ready_[ready_count_++] = &actor;
  }
  void hear_all();
  bool all_heard() const { return news_end == news_.get(); }
  /// The actor that was told last waits only for that.
  bool has_news_for_one() const { return !all_heard() && news_end[-1]->only_for_news(); }

  // Waits inside a step.
  FiberSlot& fiber_for(const Actor* next) {
    if (next == nullptr) return fibers_.main();
    return next->stands_in_step() ? *next->fiber : fibers_.spare();
  }
  void suspend(Actor& actor);
  void suspend_here(Actor& actor);
  [[noreturn, gnu::noinline]] void leave_for_good(Actor& actor);
  void block(PortState& port);
  Actor* take_news();
  void await_turn(Actor& actor, PortState& port);
  void note_blocked(Actor& actor) {
    if (actor.blocked_lately) return;
    actor.blocked_lately = true;
    blocked_lately_.push_back(&actor);
  }
  void note_wait(Actor& actor, const Span& span);
  void make_room(Actor& actor);
  void wait_for_answer(Actor& actor, Channel& channel, Poll what);
  void enter_waiting(Actor& actor, Wait wait);
  [[gnu::noinline]] void list(Actor& actor);
  void drop_those_that_run();
  void move_to(Actor& actor, Tick target);
  void arrive_at(PortState& port, Tick target, Activity activity, Tick began);
  void wait_for_horizon(Actor& actor, Tick target, Activity activity, Tick began);
  bool answer_known(const Actor& actor) const;
  bool no_news_by(const Actor& actor) const { return quiet_until_ >= 0 && actor.grid.edge(actor.now) <= quiet_until_; }
  Tick raise_token_bound(Channel& channel) const;
  Tick raise_slot_bound(Channel& channel) const;
  bool writer_silent(Channel& channel, const Actor& reader) const;
  bool reader_silent(Channel& channel, const Actor& writer) const;
  Tick acts_alone(const Actor& actor) const;
  Tick effective(const Actor& actor) const;

  // Work at step boundaries.
  [[gnu::noinline]] void look_closer(Actor& actor);
  static void set_look(Actor& actor) { actor.next_boundary_check = std::min(actor.horizon + 1, actor.watch_at); }
  AtBoundary after_slow_step(Actor& actor);
  AtBoundary go_on(Actor& actor);
  AtBoundary at_horizon(Actor& actor);
  AtBoundary closing(Actor& actor);
  AtBoundary wait_at_boundary(Actor& actor, Channel& input);
  bool waits_for_its_turn(Actor& actor);

  // Sleep.
  AtBoundary sleep(Actor& actor, Tick next);
  AtBoundary idle_from(Actor& actor, Tick next, Tick period);
  Wake wake_of(const Actor& actor) const;
  bool changes_before(const Actor& actor, const FailedPoll& poll, Tick known) const;
  Tick inputs_close(const Actor& actor) const;
  void consider_waking(Actor& actor);
  void woken(Actor& actor);
  void tell_sleeper(Actor& actor);

  // Horizons, histories, and ends of runs.
  void set_horizon(Actor& actor, std::int64_t time);
  bool extend_horizon(Actor& actor);
  void look_for_stall(std::size_t effort) { stall_.spent(effort, actors_, channels_); }
  bool worth_committing();
  void commit();
  void commit_to(std::int64_t time);
  bool history_safe(const Actor& actor) const;
  void lower_limit(std::int64_t time);
  void run_periodic_to(std::int64_t time);
  void unwind();
  void drain();
  bool may_end_quiet() const;

  std::vector<Actor*> actors_;
  std::vector<Channel*> channels_;
  ChannelObserver* observer_;
  StateObserver* states_;
  Fibers fibers_;
  std::int64_t limit_;
  std::optional<ActorId> output_;
  Actor* next_ = nullptr;
  Actor* running_ = nullptr;
  Actor* last_asker_ = nullptr;
  bool stopping_ = false;
  bool ending_ = false;            ///< the end is known: periodic actors run up to it
  std::size_t native_ = 0;         ///< actors neither finished nor periodic
  std::int64_t quiet_until_ = -1;  ///< before this time nothing happens anywhere that has not happened yet
  std::int64_t committed_ = -1;    ///< no error can hold at or before this time
  std::size_t commits_asked_ = 0;  ///< requests for a commit since the last one
  std::size_t spans_filled_ = 0;   ///< actors whose spans have filled up since then
  std::uint32_t passes_ = 0;       ///< how often time has passed, each time to the earliest known event
  std::vector<Actor*> ready_;      ///< the first `ready_count_`, each of them once
  std::size_t ready_count_ = 0;
  std::unique_ptr<Actor*[]> news_;           ///< each actor once; ends at `news_end`
  mutable std::vector<const Actor*> chain_;  ///< a chain of waits, for the time of one poll
  std::vector<Actor*> blocked_lately_;       ///< since errors were last looked for: where a new one begins
  std::vector<const Actor*> caught_end_;     ///< actors that caught the exception that was to unwind them
  std::vector<Actor*> waiting_;  ///< for an answer, a turn, a horizon or trimming; some that run again are still listed
  std::priority_queue<KnownWake, std::vector<KnownWake>, std::greater<>> known_wakes_;
  Stall stall_;
  std::mt19937_64 shuffle_;
  bool shuffled_;
};

/// Tells whether the reader's end was popped, or found empty, at `tick`.
[[gnu::always_inline]] inline bool accessed_at(const PortState& port, Tick tick) {
  return port.last_miss == tick || Channel::header_at(port.cursor - port.channel->stride).popped_at == tick;
}
/// A step without a failed poll is watched if it is the first to start at or after a mark. Marks are 0, the powers of
/// two, and from `kLastDoubling` on its multiples. `mark_after` gives the next mark; `mark_before` the one before the
/// last mark at or before `tick`, or 0.
constexpr Tick kLastDoubling = 1 << 16;
Tick mark_after(Tick tick);
Tick mark_before(Tick tick);
/// Tells whether the actor has moved a token or waited for a time at or after `tick`.
bool active_since(const Actor& actor, Tick tick);

/// The scope in which a scheduler's code runs for the actor of this thread: the actor's tick is in `Actor::now` then.
class Here {
 public:
  explicit Here(Actor& actor) : actor_(actor) { actor.now = running_now; }
  ~Here() { running_now = actor_.now; }
  Here(const Here&) = delete;
  Here& operator=(const Here&) = delete;

 private:
  Actor& actor_;
};
/// Counts one more operation of an actor without a clock; throws Error if there are too many at one instant.
void count_operation(Actor& actor);

}  // namespace isthmus::engine
