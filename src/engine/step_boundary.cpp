// The step boundary of an actor: whether its next step starts, and which actors are notified that this one is over.
#include <algorithm>
#include <cstring>
#include <utility>

#include "isthmus/base/error.hpp"
#include "scheduler.hpp"
#include "window.hpp"

namespace isthmus::engine {

namespace {

/// Tells whether the writer waits to push into a slot that the reader has freed, or for a token that it could push in
/// time.
bool about_to_push(const Channel& channel) {
  const Actor& writer = *channel.writer;
  if (writer.wait == Wait::answer)
    return writer.polled == Poll::closed && channel.direct() &&
           writer.now + channel.forward.latency() <= channel.reader->now;
  return writer.waits_on == &channel && (writer.wait == Wait::push || writer.wait == Wait::turn);
}

/// The number of tokens (or slots) side by side in the ring, of `bytes` in all, that the port has at hand: one a step,
/// if the step neither waits nor advances. Opens a window if they come in time. One that lies across the ring's middle
/// or end moves alone.
template <class Ready>
[[gnu::always_inline]] inline Tick at_hand(PortState& port, std::int64_t bytes, const Ready& ready) {
  const Channel& channel = *port.channel;
  if (bytes == 0) return 1;
  const auto tokens = static_cast<Tick>(channel.tokens(bytes));
  if (ready(channel, port.cursor + bytes - channel.stride) < port.actor->now + tokens)
    port.window_end = port.cursor + bytes;
  return tokens;
}
[[gnu::always_inline]] inline Tick tokens_at_hand(PortState& port) {
  const Channel& channel = *port.channel;
  if (channel.windows != Windows::alike || channel.empty()) return 0;
  return at_hand(port, end_of_known(port) - port.cursor, token_ready);
}
[[gnu::always_inline]] inline Tick slots_at_hand(PortState& port) {
  const Channel& channel = *port.channel;
  if (channel.windows != Windows::alike || channel.full()) return 0;
  return at_hand(port, free_bytes(port), slot_ready);
}

bool moved_since(const LastMove& move, Tick tick) {
  Tick last = 0;
  std::memcpy(&last, move.port->cursor - move.behind_cursor, sizeof last);
  return last >= tick;
}

/// Tells whether `actor` has moved a token at or after `tick`. It first tries the port that had moved one last time.
bool has_moved(Actor& actor, Tick tick) {
  for (LastMove& move : actor.moves) {
    if (!moved_since(move, tick)) continue;
    std::swap(move, actor.moves.front());
    return true;
  }
  return false;
}

}  // namespace

/// Leaves `actor` at its step boundary until it is known whether `input` closes.
[[gnu::always_inline]] inline AtBoundary Scheduler::wait_at_boundary(Actor& actor, Channel& input) {
  actor.waits_on = &input;
  actor.polled = Poll::closed;
  listen_to(*input.writer_port, actor);
  enter_waiting(actor, Wait::answer);
  return AtBoundary::leave;
}

/// Tells whether `actor` waits before its step instead of in it. A step that blocks keeps a stack; one that waits
/// before it starts needs none. The result does not depend on the wall time at which a step starts.
[[gnu::always_inline]] inline bool Scheduler::waits_for_its_turn(Actor& actor) {
  if (actor.expects == nullptr) return false;
  const Channel& channel = *actor.expects->channel;
  if (actor.expects->reads() ? !channel.empty() || channel.closing() : !channel.full()) return false;
  await_turn(actor, *actor.expects);
  if (actor.next_boundary_check <= actor.now) actor.force_check();
  return true;
}

/// Makes `actor` wait for its turn at `port`. It is checked after one step, because one move of the other end is news
/// for one step.
[[gnu::always_inline]] inline void Scheduler::await_turn(Actor& actor, PortState& port) {
  actor.next_check = actor.now + 1;
  // What is there already is not stored again: a hop is limited by its stores, among others.
  if (actor.may_wait_to != actor.next_boundary_check - 1) actor.may_wait_to = actor.next_boundary_check - 1;
  listen_to(*port.peer, actor);
  if (actor.waits_on != port.channel) actor.waits_on = port.channel;
  enter_waiting(actor, Wait::turn);
}

/// Ends a step that waited, had a failed poll or was watched.
[[gnu::always_inline]] inline AtBoundary Scheduler::after_slow_step(Actor& actor) {
  // If the step waited for a token or a slot, this is the end of those waits, at which it moved one.
  const Tick step_start = actor.now - actor.advanced - actor.initiation_interval;
  actor.now = running_now;
  actor.needs_slow_path = false;
  if (actor.told_end != 0) [[unlikely]] {
    caught_its_end(actor);
    return AtBoundary::leave;
  }
  const bool waited = std::exchange(actor.waited, false);
  if (!waited && !has_moved(actor, step_start)) return after_silent_step(actor, step_start);
  actor.failed_polls.clear();
  actor.sensed_time = false;
  actor.now = actor.after_advances();
  return AtBoundary::step;
}

/// Starts steps for as long as their tokens and slots are at hand, or leaves.
[[gnu::always_inline]] inline AtBoundary Scheduler::go_on(Actor& actor) {
  Tick steps = kManySteps;
  if (PortState* gate = actor.gate) {
    steps = tokens_at_hand(*gate);
    if (steps == 0) {
      // The commonest case comes first: all is read, and the writer goes on.
      if (gate->channel->empty() && about_to_push(*gate->channel)) return wait_at_boundary(actor, *gate->channel);
      if (closing(actor) == AtBoundary::leave) return AtBoundary::leave;
      if (gate == actor.expects && waits_for_its_turn(actor)) return AtBoundary::leave;
      steps = 1;
    }
  }
  if (PortState* port = actor.expects; port != nullptr && port != actor.gate) {
    const Tick more = port->reads() ? tokens_at_hand(*port) : slots_at_hand(*port);
    if (more == 0 && waits_for_its_turn(actor)) return AtBoundary::leave;
    steps = std::min(steps, std::max<Tick>(more, 1));
  }
  if (actor.crosses && (actor.gate != nullptr || actor.expects != nullptr)) [[unlikely]]
    steps = steps_across(actor);
  actor.set_next_check(steps);
  return AtBoundary::step;
}

/// The step boundary if no other actor is known to go on: null if `actor` leaves.
[[gnu::noinline]] Actor* Scheduler::boundary_of_one(Actor& actor, Tick next) {
  actor.now = next;
  return go_on(actor) == AtBoundary::step ? &actor : nullptr;
}

/// The step boundary if the last step waited, had a failed poll, was watched or ended past the horizon, or if the next
/// may have to be watched.
[[gnu::noinline]] Actor* Scheduler::boundary_after_more(Actor& actor, Tick next) {
  actor.now = next;
  if (actor.needs_slow_path && after_slow_step(actor) == AtBoundary::leave) return nullptr;
  if (actor.now > actor.horizon && at_horizon(actor) == AtBoundary::leave) return nullptr;
  if (go_on(actor) == AtBoundary::leave) return nullptr;
  if (actor.next_boundary_check <= actor.now) look_closer(actor);
  return &actor;
}

/// Checks an actor whose next step may be watched, or that has got more time.
void Scheduler::look_closer(Actor& actor) {
  const bool due = actor.watch_at <= actor.now;
  if (due) actor.watch_at = actor.trivial ? mark_after(actor.now) : kNever;
  set_look(actor);
  if (!due || !actor.trivial || active_since(actor, mark_before(actor.now))) return;
  actor.copy_state(actor.snapshot);
  actor.silent_until = actor.now;
  actor.sensed_time = false;
  actor.require_slow_path();
}

AtBoundary Scheduler::before_next_clockless_step(Actor& actor) {
  if (actor.now > actor.horizon && at_horizon(actor) == AtBoundary::leave) return AtBoundary::leave;
  if (actor.gate != nullptr && closing(actor) == AtBoundary::leave) return AtBoundary::leave;
  return waits_for_its_turn(actor) ? AtBoundary::leave : AtBoundary::step;
}

/// Checks an actor without `done()` before its step: it finishes if all its inputs are closed and drained.
AtBoundary Scheduler::closing(Actor& actor) {
  if (std::ranges::any_of(actor.inputs, [](const Channel* channel) { return !channel->empty(); }))
    return AtBoundary::step;
  Channel* unknown = nullptr;
  for (Channel* channel : actor.inputs) {
    if (channel->closing()) {
      if (channel->close_visible > actor.now) return AtBoundary::step;
      continue;
    }
    if (writer_silent(*channel, actor)) return AtBoundary::step;
    unknown = channel;
  }
  if (unknown == nullptr) {
    finish(actor);
    return AtBoundary::leave;
  }
  return wait_at_boundary(actor, *unknown);
}

AtBoundary Scheduler::at_horizon(Actor& actor) {
  if (!actor.periodic) {
    look_for_stall(Stall::kHorizon);
    hear_all();
    commit();
    if (actor.feeds_itself && !keeps_history(actor)) return AtBoundary::leave;
    if (extend_horizon(actor)) return AtBoundary::step;
  }
  actor.resume_at = actor.now;
  actor.wait_began = actor.now;
  actor.parked_activity = Activity::busy;
  enter_waiting(actor, Wait::horizon);
  return AtBoundary::leave;
}

AtBoundary Scheduler::at_same_instant(Actor& actor) {
  try {
    count_operation(actor);
  } catch (...) {
    fail(actor, std::current_exception());
    return AtBoundary::leave;
  }
  actor.silent_until = -1;
  return AtBoundary::step;
}

/// Handles a step that caught the exception that was to end it. The run fails, except at its end, where the step can
/// make no difference.
void Scheduler::caught_its_end(Actor& actor) {
  if (stopping_)
    caught_end_.push_back(&actor);
  else
    fail(actor, std::make_exception_ptr(Error("a step caught what was thrown to end it: a catch (...) around a port "
                                              "must throw it on")));
}

void Scheduler::finish(Actor& actor) {
  actor.finished_at = actor.now;
  actor.wait = Wait::finished;
  if (!actor.periodic) --native_;
  // All outputs are closed before any reader is notified: what a reader learns depends on what the others can still
  // do.
  for (Channel* channel : actor.outputs) {
    channel->close_visible = channel->forward.map(actor.now);
    channel->earliest_token = kNever;
  }
  for (Channel* channel : actor.outputs) {
    channel->wait_latency = channel->reader_port->wait_latency = PortState::kNoWait;
    Actor& reader = *channel->reader;
    if (reader.expects_token == channel->reader_port) reader.expects_token = nullptr;
    if (reader.wait == Wait::sleep)
      tell_sleeper(reader);
    else if (reader.wait == Wait::read || reader.wait == Wait::answer || reader.wait == Wait::turn)
      make_ready(reader);
  }
  for (Channel* channel : actor.inputs) {
    Actor& writer = *channel->writer;
    if (writer.wait == Wait::sleep)
      tell_sleeper(writer);
    else if (writer.wait == Wait::answer)
      make_ready(writer);
    else if (writer.wait == Wait::push)
      note_blocked(writer);
  }
}

void Scheduler::fail(Actor& actor, std::exception_ptr why) {
  actor.failure = std::move(why);
  actor.failed = true;
  actor.resume_at = kNever / 2;
  enter_waiting(actor, Wait::horizon);
  lower_limit(actor.grid.edge(actor.now));
}

Actor* before_next_step(Actor& actor, Tick next) {
  if (actor.needs_slow_path || next >= actor.next_boundary_check)
    return actor.scheduler->boundary_after_more(actor, next);
  // The commonest case of an actor with `done()`: it has used up its tokens.
  PortState* port = actor.expects_token;
  const bool waits = port != nullptr && port->cursor == port->peer->cursor;
  if (!waits || !actor.listed) return actor.scheduler->boundary_of_one(actor, next);
  actor.now = next;
  return actor.scheduler->hand_over(actor, *port);
}
AtBoundary before_next_clockless_step(Actor& actor) {
  return actor.scheduler->before_next_clockless_step(actor);
}
AtBoundary after_silent_step(Actor& actor, Tick step_start) {
  return actor.scheduler->after_silent_step(actor, step_start);
}
AtBoundary after_vain_wait(Actor& actor, Tick step_start) {
  return actor.scheduler->after_vain_wait(actor, step_start);
}
AtBoundary at_same_instant(Actor& actor) {
  return actor.scheduler->at_same_instant(actor);
}
void caught_its_end(Actor& actor) {
  actor.scheduler->caught_its_end(actor);
}
void finish(Actor& actor) {
  actor.scheduler->finish(actor);
}
void fail(Actor& actor, std::exception_ptr why) {
  actor.scheduler->fail(actor, std::move(why));
}

}  // namespace isthmus::engine
