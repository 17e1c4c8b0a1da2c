// Sleep (docs/time.md): an actor whose step moved nothing and left its state alone would do the same again until an
// answer changes.
#include <algorithm>
#include <bit>

#include "isthmus/engine/detail/silent_inputs.hpp"
#include "scheduler.hpp"

namespace isthmus::engine {

Tick mark_after(Tick tick) {
  if (tick < kLastDoubling) return static_cast<Tick>(std::bit_ceil(static_cast<std::uint64_t>(tick) + 1));
  return (tick / kLastDoubling + 1) * kLastDoubling;
}

Tick mark_before(Tick tick) {
  if (tick < 2) return 0;
  if (tick < 2 * kLastDoubling) return static_cast<Tick>(std::bit_floor(static_cast<std::uint64_t>(tick))) / 2;
  return (tick / kLastDoubling - 1) * kLastDoubling;
}

bool active_since(const Actor& actor, Tick tick) {
  const auto popped = [&](const Channel* channel) { return channel->last_popped_at() >= tick; };
  const auto pushed = [&](const Channel* channel) { return channel->last_pushed_at() >= tick; };
  return actor.waited_at >= tick || std::ranges::any_of(actor.inputs, popped) ||
         std::ranges::any_of(actor.outputs, pushed);
}

namespace {

/// The start of a step, counted from `actor.now`, whose poll at `offset` would find the answer that holds from `change`
/// on.
Tick start_that_sees(const Actor& actor, Tick change, Tick offset) {
  if (change >= kNever / 2) return kNever;
  const Tick late = change - offset - actor.now;
  if (late <= 0) return actor.now;
  if (actor.sleep_period == 0) return change;
  const Tick steps = (late - 1) / actor.sleep_period + 1;
  return actor.now + steps * actor.sleep_period;
}

bool counts(const Actor& actor, const FailedPoll& poll) {
  const Channel& channel = *poll.channel;
  const PortState& port = poll.what == Poll::room ? *channel.writer_port : *channel.reader_port;
  return actor.trivial || !actor.clocked || port.promise == actor.promises;
}

/// The tick of its step at which the poll was made.
Tick offset(const Actor& actor, const FailedPoll& poll) {
  return poll.at - actor.step_start;
}

/// Asks for news of every channel of the sleeper.
void listen(Actor& actor) {
  for (Channel* channel : actor.inputs) listen_to(*channel->writer_port, actor);
  for (Channel* channel : actor.outputs) listen_to(*channel->reader_port, actor);
}

/// Tells whether the poll would succeed from a known time on, or never, whatever the other actors do.
bool is_known(const FailedPoll& poll) {
  const Channel& channel = *poll.channel;
  return poll.what == Poll::room ? !channel.full() : !channel.empty() || channel.closing();
}

/// The time from which a known poll would succeed.
[[gnu::always_inline]] inline Tick known_change(const FailedPoll& poll) {
  const Channel& channel = *poll.channel;
  if (poll.what == Poll::room) return channel.next_slot_free();
  if (poll.what == Poll::token) return channel.empty() ? kNever : channel.head_visible_still();
  return channel.empty() ? channel.close_visible : kNever;
}

/// Tells whether the next step, at `next`, is known to find another answer than the last.
bool sees_change_at(const Actor& actor, Tick next) {
  return std::ranges::any_of(actor.failed_polls, [&](const FailedPoll& poll) {
    return poll.inputs == nullptr && is_known(poll) && known_change(poll) - offset(actor, poll) <= next &&
           counts(actor, poll);
  });
}

}  // namespace

AtBoundary Scheduler::after_silent_step(Actor& actor, Tick step_start) {
  actor.step_start = step_start;
  actor.busy_asleep = false;
  if (!actor.clocked) return idle_from(actor, actor.now, 0);
  const Tick next = actor.after_advances();
  const bool silent = !actor.failed_polls.empty();
  const bool unchanged =
      actor.trivial && actor.silent_until == step_start && !actor.sensed_time && actor.same_state(actor.snapshot);
  const bool promised = !actor.trivial && actor.promised;
  actor.promised = false;
  actor.sensed_time = false;
  if (silent) {
    actor.silent_until = next;
    const Span span{step_start, next, next - step_start, Activity::starved};
    if (!actor.spans.prolong(span)) note_wait(actor, span);
  }
  if (unchanged || promised) {
    actor.busy_asleep = !silent;
    if (next > actor.horizon || !sees_change_at(actor, next)) {
      spell_out(actor.failed_polls);
      return idle_from(actor, next, next - step_start);
    }
    actor.now = next;
    actor.failed_polls.clear();
    return AtBoundary::step;
  }
  actor.now = next;
  actor.failed_polls.clear();
  if (!silent) return AtBoundary::step;
  if (actor.trivial)
    actor.copy_state(actor.snapshot);
  else if (actor.polls_since == kNever)
    actor.polls_since = next;
  return AtBoundary::step;
}

/// Handles a step of an actor without a clock that took time and moved no token: such an actor's polls may fail again
/// and again.
AtBoundary Scheduler::after_vain_wait(Actor& actor, Tick step_start) {
  if (!actor.trivial) return AtBoundary::step;
  if (actor.silent_until == step_start && !actor.sensed_time && actor.same_state(actor.snapshot)) {
    actor.step_start = step_start;
    actor.busy_asleep = true;
    return idle_from(actor, actor.now, actor.now - step_start);
  }
  actor.silent_until = actor.now;
  actor.copy_state(actor.snapshot);
  return AtBoundary::step;
}

/// Notes that the next step, at `next`, and those that follow it every `period` do what the last one did until an
/// answer changes.
AtBoundary Scheduler::idle_from(Actor& actor, Tick next, Tick period) {
  actor.sleep_period = period;
  actor.idle = true;
  actor.idle_since = next;
  return sleep(actor, next);
}

AtBoundary Scheduler::sleep(Actor& actor, Tick next) {
  actor.now = next;
  actor.wait = Wait::sleep;
  const Wake wake = wake_of(actor);
  actor.known_wake = wake.known;
  if (wake.known != kNever && wake.safe && wake.known <= actor.horizon) {
    woken(actor);
    actor.wait = Wait::none;
    return AtBoundary::step;
  }
  if (wake.known != kNever) known_wakes_.push({actor.grid.edge(wake.known), &actor, wake.known});
  listen(actor);
  return AtBoundary::leave;
}

/// The time at which a failed poll of the sleeper's last step would get another answer. What other actors may still do
/// is looked at only if some change is known: it costs more, and only decides whether the sleeper may wait for that
/// change.
Scheduler::Wake Scheduler::wake_of(const Actor& actor) const {
  Tick known = kNever;
  for (const auto& poll : actor.failed_polls)
    if (counts(actor, poll) && is_known(poll))
      known = std::min(known, start_that_sees(actor, known_change(poll), offset(actor, poll)));
  const bool asks_closing = !actor.inputs.empty() && (!actor.has_done || actor.sleep_period == 0);
  const auto seen_closing = [&](Tick closing) {
    // It was closed and drained already when the actor fell asleep, so this is no news.
    return closing < kNever && (closing > actor.now || !actor.has_done) ? start_that_sees(actor, closing, 0) : kNever;
  };
  const bool all_close =
      asks_closing && std::ranges::all_of(actor.inputs, [](const Channel* each) { return each->closing(); });
  if (all_close) known = std::min(known, seen_closing(inputs_close(actor)));
  if (known == kNever) return {kNever, false};
  for (const auto& poll : actor.failed_polls)
    if (counts(actor, poll) && !is_known(poll) && changes_before(actor, poll, known)) return {known, false};
  return {known, !asks_closing || all_close || seen_closing(inputs_close(actor)) >= known};
}

/// Tells whether a step that starts before `known` may find another answer to a poll that is not known.
bool Scheduler::changes_before(const Actor& actor, const FailedPoll& poll, Tick known) const {
  Channel& channel = *poll.channel;
  const bool room = poll.what == Poll::room;
  const auto late = [&](Tick bound) { return start_that_sees(actor, bound, offset(actor, poll)) >= known; };
  return !late(room ? channel.earliest_slot : channel.earliest_token) &&
         !late(room ? raise_slot_bound(channel) : raise_token_bound(channel));
}

/// The earliest tick at which all inputs can be closed and drained.
Tick Scheduler::inputs_close(const Actor& actor) const {
  if (std::ranges::any_of(actor.inputs, [](const Channel* each) { return !each->empty(); })) return kNever;
  Tick last = 0;
  for (const Channel* each : actor.inputs)
    last = std::max(last, each->closing() ? each->close_visible : each->forward.map(effective(*each->writer)));
  return last;
}

/// Tells the sleeper that something on one of its channels has become known.
void Scheduler::tell_sleeper(Actor& actor) {
  const Tick before = actor.known_wake;
  consider_waking(actor);
  if (actor.ready) return;
  listen(actor);
  if (actor.known_wake != before && actor.known_wake != kNever)
    known_wakes_.push({actor.grid.edge(actor.known_wake), &actor, actor.known_wake});
}

/// Makes the sleeper ready if nothing can change before its known wake any more.
void Scheduler::consider_waking(Actor& actor) {
  const Wake wake = wake_of(actor);
  actor.known_wake = wake.known;
  if (!wake.safe) return;
  if (!actor.periodic && wake.known > actor.horizon) {
    actor.horizon = std::max(actor.horizon, std::min(wake.known, actor.grid.last_at_or_before(limit_)));
  }
  if (wake.known <= actor.horizon) make_ready(actor);
}

void Scheduler::woken(Actor& actor) {
  const bool slept = actor.known_wake != actor.now;
  if (slept && !actor.busy_asleep)
    note_wait(actor, {actor.now, actor.known_wake, actor.sleep_period, Activity::starved});
  actor.now = actor.known_wake;
  // The steps that it slept through left its state alone too, so that one more step decides whether it sleeps on.
  if (actor.clocked ? !actor.busy_asleep : actor.sleep_period != 0) actor.silent_until = actor.now;
  if (slept && actor.trivial && actor.clocked) actor.watch_at = mark_after(actor.now - actor.sleep_period);
  actor.idle = false;
  actor.failed_polls.clear();
}

}  // namespace isthmus::engine
