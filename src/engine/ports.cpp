// The slow paths of ports and timers: what they ask on an actor's fiber if the window is empty.
#include <fmt/format.h>

#include "isthmus/base/error.hpp"
#include "isthmus/engine/detail/ring_end.hpp"
#include "scheduler.hpp"
#include "window.hpp"

namespace isthmus::engine {
void advance(Actor& actor) {
  actor.scheduler->advance(actor);
}

void claim_slot(PortState& port) {
  const Here here(*port.actor);
  port.actor->scheduler->claim_slot(port);
}

bool slot_at_hand(const PortState& port) {
  const Channel& channel = *port.channel;
  const bool pushed_now = port.actor->clocked && channel.last_pushed_at() == running_now;
  return !pushed_now && !channel.full() && channel.next_slot_free() <= running_now;
}

void publish(PortState& port) {
  Channel& channel = *port.channel;
  port.actor->moved = true;
  Channel::header_at(port.cursor).pushed_at = running_now;
  if (port.cursor != port.window_end) {
    port.cursor += channel.stride;
  } else {
    if (kObservable && channel.observed) port.actor->scheduler->note_push(channel);
    if (channel.step(port)) port.actor->trim_due = true;
    port.window_end = port.cursor;
  }
  if (port.listener != nullptr) tell_listener(port);
}

void release(PortState& port) {
  Channel& channel = *port.channel;
  port.actor->moved = true;
  Channel::header_at(port.cursor).popped_at = running_now;
  if (port.cursor != port.window_end) {
    port.cursor += channel.stride;
  } else {
    if (kObservable && channel.observed) port.actor->scheduler->note_pop(channel);
    if (channel.step(port)) port.actor->trim_due = true;
    port.window_end = port.cursor;
  }
  if (port.listener != nullptr) tell_listener(port);
}

namespace {

/// Notes that `pull` finds nothing.
bool miss(PortState& port, Tick now) {
  port.last_miss = now;
  port.wait_latency = PortState::kNoWait;
  port.actor->note_failed_poll(*port.channel, Poll::token, now);
  return false;
}

/// Notes that `peek` or `front` finds nothing.
bool see_nothing(PortState& port, Tick now) {
  port.actor->note_failed_poll(*port.channel, Poll::token, now);
  port.last_failed_poll = now;
  if (JointPolls* const joint = port.channel->joint_polls) joint->alone = now;
  return false;
}

/// Tells whether a poll of the port has failed at `now` before, alone or together with others.
bool seen_before(const PortState& port, Tick now) {
  const JointPolls* const joint = port.channel->joint_polls;
  return port.last_failed_poll == now || (joint != nullptr && joint->all == now);
}

/// The state of a port's head, as far as a port with a clock knows it without a look at other actors. (Without a clock
/// each look counts.)
enum class Head : std::uint8_t { unknown, later, visible };
[[gnu::always_inline]] inline Head known_head(PortState& port, Tick now) {
  if (port.cursor != port.window_end) return Head::unknown;
  if (port.nothing_before > now) return Head::later;
  const Channel& channel = *port.channel;
  if (!port.actor->clocked) return Head::unknown;
  const bool empty = channel.empty();
  const Tick from = empty ? channel.earliest_token : channel.head_visible_still();
  if (from <= now) return empty ? Head::unknown : Head::visible;
  port.nothing_before = from;
  return Head::later;
}

/// Opens the window of a port whose head is visible. If tokens come less often than an actor asks, it finds one at a
/// time.
[[gnu::always_inline]] inline void open_behind_head(PortState& port) {
  Channel& channel = *port.channel;
  std::byte* const behind = port.cursor + channel.stride;
  if (channel.windows != Windows::none && behind < port.stop && behind != port.peer->cursor) {
    const Tick next = channel.visible_behind_head();
    if (next > port.actor->now + 1) {
      port.window_end = behind;
      port.nothing_before = next;
      return;
    }
  }
  open_reader_window(channel);
  if (channel.windows == Windows::alike && port.window_end != end_of_known(port))
    port.nothing_before = token_ready(channel, port.window_end);
}

/// Notes that the head is visible at `now`.
[[gnu::noinline]] bool see(PortState& port, Tick now) {
  port.actor->now = now;
  open_behind_head(port);
  return true;
}

/// The answer to `token_visible` that may need a look at other actors.
[[gnu::noinline]] bool ask_for_token(PortState& port) {
  Actor& actor = *port.actor;
  const Here here(actor);
  if (accessed_at(port, actor.now)) advance(actor);
  if (!actor.scheduler->token_visible(actor, *port.channel)) return miss(port, actor.now);
  open_behind_head(port);
  return true;
}

/// The answer to `token_visible` that needs a look at the channel.
[[gnu::noinline]] bool look_for_token(PortState& port, Tick now) {
  const Head head = accessed_at(port, now) ? Head::unknown : known_head(port, now);
  if (head == Head::unknown) return ask_for_token(port);
  return head == Head::later ? miss(port, now) : see(port, now);
}

/// The answer to `peek` that may need a look at other actors.
[[gnu::noinline]] bool ask_for_head(PortState& port) {
  Actor& actor = *port.actor;
  const Here here(actor);
  if (seen_before(port, actor.now) || !actor.clocked) advance(actor);
  if (!actor.scheduler->token_visible(actor, *port.channel)) return see_nothing(port, actor.now);
  open_behind_head(port);
  return true;
}

}  // namespace

bool token_visible(PortState& port) {
  const Tick now = running_now;
  // The commonest case comes first, in few instructions: an actor that asks more often than tokens come.
  const bool nothing = port.cursor == port.window_end && port.nothing_before > now;
  return nothing && !accessed_at(port, now) ? miss(port, now) : look_for_token(port, now);
}

bool peek(PortState& port) {
  const Tick now = running_now;
  const Head head = known_head(port, now);
  if (head == Head::unknown || seen_before(port, now)) return ask_for_head(port);
  return head == Head::later ? see_nothing(port, now) : see(port, now);
}

bool slot_free(PortState& port) {
  Actor& actor = *port.actor;
  const Here here(actor);
  if (port.last_failed_poll == actor.now || !actor.clocked) advance(actor);
  if (actor.scheduler->slot_free(actor, *port.channel)) return true;
  actor.note_failed_poll(*port.channel, Poll::room, actor.now);
  port.last_failed_poll = actor.now;
  return false;
}

bool channel_closed(PortState& port) {
  Actor& actor = *port.actor;
  const Channel& asked = *port.channel;
  if (actor.clocked && port.last_failed_closed != running_now &&
      (!asked.empty() || (!asked.closing() && asked.earliest_token > running_now))) {
    actor.note_failed_poll(*port.channel, Poll::closed, running_now);
    port.last_failed_closed = running_now;
    return false;
  }
  const Here here(actor);
  if (port.last_failed_closed == actor.now || !actor.clocked) advance(actor);
  if (actor.scheduler->channel_closed(actor, *port.channel)) return true;
  actor.note_failed_poll(*port.channel, Poll::closed, actor.now);
  port.last_failed_closed = actor.now;
  return false;
}

Time time_of(const Actor& actor) {
  if (actor.native != nullptr) return actor.native->now();
  return Time::fs(actor.grid.edge(running_now));
}

void wait_until(Actor& actor, Time time) {
  if (actor.native != nullptr) return actor.native->wait_until(time);
  const Here here(actor);
  const Tick target = actor.grid.first_at_or_after(time.femtoseconds());
  if (target > actor.now) actor.sensed_time = true;
  actor.scheduler->wait_to(actor, target);
}

void wait_for(Actor& actor, Time time) {
  if (actor.clocked) throw Error("timer.wait(time) is for an actor without a clock: use wait_until");
  if (time < Time{}) throw Error(fmt::format("timer.wait({}): expected a time not below 0", to_string(time)));
  if (actor.native != nullptr) return actor.native->wait_until(actor.native->now() + time);
  const Here here(actor);
  actor.scheduler->wait_to(actor, (Time::fs(actor.now) + time).femtoseconds());
}

}  // namespace isthmus::engine
