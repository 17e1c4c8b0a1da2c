// Waits in the middle of a step, and what an actor can know of the others meanwhile.
#include <algorithm>
#include <utility>

#include "ending.hpp"
#include "isthmus/base/error.hpp"
#include "scheduler.hpp"
#include "window.hpp"

namespace isthmus::engine {
namespace {

constexpr int kOperationsAtOneInstant = 1'000'000;

/// Ends a step that would never let time pass.
struct TooManyOperations final : Error {
  TooManyOperations() : Error("a million operations at one instant") {}
};

bool for_room(const Actor& actor) {
  return actor.polled == Poll::room;
}

}  // namespace

void count_operation(Actor& actor) {
  if (actor.instant != actor.now) {
    actor.instant = actor.now;
    actor.at_instant = 0;
  }
  if (++actor.at_instant >= kOperationsAtOneInstant) actor.scheduler->end_step<TooManyOperations>(actor);
}

thread_local constinit UnaliasedTick running_now{0};
thread_local constinit Actor** news_end = nullptr;

/// Ends the step of `actor` by an exception. A step that catches exceptions could catch every one of them for ever.
template <class End>
void Scheduler::end_step(Actor& actor) {
  constexpr int kOften = 2;
  if (actor.told_end == kOften) leave_for_good(actor);
  ++actor.told_end;
  actor.require_slow_path();
  throw End{};
}

/// Leaves the step of `actor` and never goes on with it; the objects on its stack are not destroyed.
void Scheduler::leave_for_good(Actor& actor) {
  caught_its_end(actor);
  next_ = stopping_ ? nullptr : pick(&actor);
  fibers_.switch_to(fiber_for(next_));
  __builtin_unreachable();
}

/// Keeps the step of `actor` at this point until the scheduler lets it go on.
[[gnu::always_inline]] inline void Scheduler::suspend_here(Actor& actor) {
  // While a run is unwound there is no news.
  Actor* next = nullptr;
  if (has_news_for_one()) [[likely]] {
    next = take_news();
  } else {
    if (stopping_) end_step<StopStep>(actor);
    next = pick_any(&actor);
  }
  if (next == &actor) return;
  actor.fiber = &fibers_.current();
  const auto run = std::exchange(actor.run, nullptr);
  next_ = next;
  fibers_.switch_to(fiber_for(next));
  actor.run = run;
  running_ = &actor;
  if (stopping_) end_step<StopStep>(actor);
}

/// As `suspend_here`, for callers in which that is seldom: it is not inlined there.
void Scheduler::suspend(Actor& actor) {
  suspend_here(actor);
}

/// Blocks the step at `port`. From the next step on its actor looks for news of the port before it starts, unless that
/// news has often come only after the step had begun.
[[gnu::always_inline]] inline void Scheduler::block(PortState& port) {
  constexpr int kOften = 8;
  Actor& actor = *port.actor;
  if (actor.vain_turns < kOften) {
    actor.expects = &port;
    actor.expects_token = port.reads() && actor.gate == nullptr ? &port : nullptr;
    actor.force_check();
  }
  note_blocked(actor);
  suspend_here(actor);
}

inline void Scheduler::enter_waiting(Actor& actor, Wait wait) {
  actor.wait = wait;
  if (!actor.listed) [[unlikely]]
    list(actor);
}

void Scheduler::list(Actor& actor) {
  actor.listed = true;
  waiting_.push_back(&actor);
}

void Scheduler::drop_those_that_run() {
  std::erase_if(waiting_, [](Actor* actor) {
    actor->listed = actor->wait == Wait::answer || actor->wait == Wait::turn || actor->wait == Wait::horizon ||
                    actor->wait == Wait::trimming;
    return !actor->listed;
  });
}

void Scheduler::wait_for_answer(Actor& actor, Channel& channel, Poll what) {
  actor.waits_on = &channel;
  actor.polled = what;
  listen_to(what == Poll::room ? *channel.reader_port : *channel.writer_port, actor);
  enter_waiting(actor, Wait::answer);
  last_asker_ = &actor;
  suspend(actor);
}

/// Moves `actor` on to `target`; it waits if that lies past its horizon.
inline void Scheduler::move_to(Actor& actor, Tick target) {
  if (target > actor.horizon) [[unlikely]]
    wait_for_horizon(actor, target, Activity::busy, actor.now);
  actor.advanced += target - actor.now;
  actor.now = target;
  actor.require_slow_path();
}

/// Moves the actor on to `target`, at which the token or the slot is there for which its step has waited since `began`.
[[gnu::always_inline]] inline void Scheduler::arrive_at(PortState& port, Tick target, Activity activity, Tick began) {
  Actor& actor = *port.actor;
  if (target <= actor.now) return;
  if (target > actor.horizon) [[unlikely]]
    wait_for_horizon(actor, target, activity, began);
  actor.now = target;
  actor.wait_out(port);
  if (!actor.spans.prolong(began, target, activity)) note_wait(actor, {began, target, 0, activity});
}

void Scheduler::wait_for_horizon(Actor& actor, Tick target, Activity activity, Tick began) {
  while (target > actor.horizon) {
    if (!actor.periodic && !stopping_ && target <= actor.grid.last_at_or_before(limit_)) {
      look_for_stall(Stall::kHorizon);
      hear_all();
      commit();
      if (actor.feeds_itself && !keeps_history(actor)) suspend(actor);
      extend_horizon(actor);
      actor.horizon = std::max(actor.horizon, std::min(target, actor.grid.last_at_or_before(limit_)));
      continue;
    }
    actor.resume_at = target;
    actor.wait_began = began;
    actor.parked_activity = activity;
    enter_waiting(actor, Wait::horizon);
    suspend(actor);
  }
}

void Scheduler::advance(Actor& actor) {
  if (!actor.clocked) {
    count_operation(actor);
    return;
  }
  move_to(actor, actor.now + 1);
}

void Scheduler::wait_to(Actor& actor, Tick target) {
  if (target <= actor.now) return;
  actor.waited = true;
  actor.waited_at = target;
  move_to(actor, target);
}

/// Waits until the port's next push has a slot.
void Scheduler::claim_slot(PortState& port) {
  Actor& actor = *port.actor;
  Channel& channel = *port.channel;
  if (channel.last_pushed_at() == actor.now) advance(actor);
  const Tick began = actor.now;
  while (channel.full()) {
    actor.wait = Wait::push;
    actor.waits_on = &channel;
    actor.wait_began = began;
    listen_to(*channel.reader_port, actor);
    block(port);
  }
  arrive_at(port, channel.next_slot_free(), Activity::blocked, began);
  open_writer_window(channel);
}

/// Waits until the port has a visible token.
inline void Scheduler::claim_token(PortState& port) {
  Actor& actor = *port.actor;
  Channel& channel = *port.channel;
  if (accessed_at(port, actor.now)) advance(actor);
  const Tick began = actor.now;
  while (channel.empty() && !channel.closing()) {
    actor.wait = Wait::read;
    actor.waits_on = &channel;
    actor.wait_began = began;
    listen_to(*channel.writer_port, actor);
    block(port);
  }
  const bool drained = channel.empty();
  arrive_at(port, drained ? channel.close_visible : channel.head_visible(), Activity::starved, began);
  if (drained) end_step<FinishStep>(actor);
  port.wait_latency = channel.wait_latency;
  open_reader_window(channel);
}

/// Lets a step wait once for news of `port`. The caller has checked that it can: nothing is there, and a wait would
/// begin now.
[[gnu::always_inline]] inline void Scheduler::await_in_step(PortState& port) {
  Actor& actor = *port.actor;
  actor.now = running_now;
  actor.wait = Wait::read;
  actor.waits_on = port.channel;
  actor.wait_began = actor.now;
  listen_to(*port.peer, actor);
  block(port);
  running_now = actor.now;
}

void claim_token(PortState& port) {
  // If tokens go round a loop one at a time, this runs as often as a token moves.
  if (port.cursor == port.peer->cursor && port.wait_latency == port.latency &&
      Channel::header_at(port.cursor - port.channel->stride).popped_at != running_now) {
    port.actor->scheduler->await_in_step(port);
    if (port.cursor != port.stop && await_next(port)) {
      port.window_end = port.cursor + port.channel->stride;
      return;
    }
  }
  const Here here(*port.actor);
  port.actor->scheduler->claim_token(port);
}

bool Scheduler::token_visible(Actor& actor, Channel& channel) {
  for (;;) {
    if (!channel.empty()) {
      const Tick visible = channel.head_visible_still();
      if (visible <= actor.now) return true;
      if (actor.clocked) channel.reader_port->nothing_before = visible;
      return false;
    }
    if (writer_silent(channel, actor)) return false;
    wait_for_answer(actor, channel, Poll::token);
  }
}

bool Scheduler::slot_free(Actor& actor, Channel& channel) {
  for (;;) {
    if (!channel.full()) return channel.next_slot_free() <= actor.now;
    if (reader_silent(channel, actor)) return false;
    wait_for_answer(actor, channel, Poll::room);
  }
}

bool Scheduler::channel_closed(Actor& actor, Channel& channel) {
  for (;;) {
    if (!channel.empty()) return false;
    if (channel.closing()) return channel.close_visible <= actor.now;
    if (writer_silent(channel, actor)) return false;
    wait_for_answer(actor, channel, Poll::closed);
  }
}

/// The reader tick before which no token becomes visible that is not visible yet. A bound that was found once holds for
/// ever.
Tick Scheduler::raise_token_bound(Channel& channel) const {
  channel.earliest_token = std::max(channel.earliest_token, channel.forward.map(effective(*channel.writer)));
  return channel.earliest_token;
}

/// The writer tick before which no slot becomes free that is not free yet. It only rises, too.
Tick Scheduler::raise_slot_bound(Channel& channel) const {
  channel.earliest_slot = std::max(channel.earliest_slot, channel.back.map(effective(*channel.reader)));
  return channel.earliest_slot;
}

/// Tells whether `reader` sees at its present tick nothing of what the writer may still do.
bool Scheduler::writer_silent(Channel& channel, const Actor& reader) const {
  return channel.closing() || channel.earliest_token > reader.now || no_news_by(reader) ||
         raise_token_bound(channel) > reader.now;
}

bool Scheduler::reader_silent(Channel& channel, const Actor& writer) const {
  return channel.earliest_slot > writer.now || no_news_by(writer) || raise_slot_bound(channel) > writer.now;
}

bool Scheduler::answer_known(const Actor& actor) const {
  Channel& channel = *actor.waits_on;
  if (for_room(actor)) return !channel.full() || reader_silent(channel, actor);
  return !channel.empty() || writer_silent(channel, actor);
}

/// The earliest of its own ticks at which `actor`, which waits for no other, may act.
Tick Scheduler::acts_alone(const Actor& actor) const {
  switch (actor.wait) {
    case Wait::finished:
      return kNever / 2;
    case Wait::read: {
      const Channel& channel = *actor.waits_on;
      return std::max(actor.now, channel.empty() ? channel.close_visible : channel.head_visible());
    }
    case Wait::push:
      return std::max(actor.now, actor.waits_on->next_slot_free());
    case Wait::sleep: {
      const Tick quiet = quiet_until_ < 0 ? 0 : actor.grid.first_at_or_after(quiet_until_);
      return std::max(actor.now, std::min(actor.known_wake, quiet));
    }
    case Wait::horizon:
      return actor.resume_at;
    default:
      return actor.now;
  }
}

/// The earliest of its own ticks at which `actor` may act. If it waits for another actor, this is the tick at which
/// that one may bring news, and so on along the chain of waits.
Tick Scheduler::effective(const Actor& actor) const {
  if (!awaits_another(actor)) return acts_alone(actor);
  const Actor* end = &actor;
  const Actor* mark = end;  // moved on after 1, 2, 4, ... waits: who comes back to it stands in a cycle
  std::size_t waits = 0;
  std::size_t next_mark = 1;
  do {
    chain_.push_back(end);
    end = end->wait == Wait::push ? end->waits_on->reader : end->waits_on->writer;
    if (end == mark) break;
    if (++waits == next_mark) {
      mark = end;
      next_mark *= 2;
    }
  } while (awaits_another(*end));
  Tick tick = awaits_another(*end) ? end->now : acts_alone(*end);
  for (; !chain_.empty(); chain_.pop_back()) {
    const Actor& each = *chain_.back();
    const Crossing& news = each.wait == Wait::push ? each.waits_on->back : each.waits_on->forward;
    tick = std::max(each.now, news.map(tick));
  }
  return tick;
}

/// Makes the actors ready that wait for the moves that were made. Sleepers look at these moves when the actor that made
/// them stops: then all that it did is known, and one look is enough.
void Scheduler::hear_all() {
  for (Actor** each = news_.get(); each != news_end; ++each) {
    Actor& actor = **each;
    actor.has_news = false;
    if (hears_news(actor.wait))
      make_ready(actor);
    else if (actor.wait == Wait::sleep && !actor.ready)
      tell_sleeper(actor);
  }
  news_end = news_.get();
}

}  // namespace isthmus::engine
