// What an actor does when what it asks is not known yet: the slow paths of ports and of the border between two steps.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "isthmus/base/error.hpp"
#include "scheduler.hpp"
#include "window.hpp"

namespace isthmus::engine {
namespace {

constexpr int kOperationsAtOneInstant = 1'000'000;

bool for_room(const Actor& actor) {
  return actor.asked == Ask::room;
}

void count_operation(Actor& actor) {
  if (actor.instant != actor.now) {
    actor.instant = actor.now;
    actor.at_instant = 0;
  }
  if (++actor.at_instant >= kOperationsAtOneInstant) throw Error("a million operations at one instant");
}

}  // namespace

/// Keeps the step of `actor` where it stands until the scheduler lets it go on.
void Scheduler::suspend(Actor& actor) {
  Actor* next = pick(&actor);
  if (next == &actor) return;
  actor.fiber = &fibers_.current();
  next_ = next;
  if (next == nullptr)
    fibers_.switch_to(fibers_.main());
  else
    fibers_.switch_to(next->fiber != nullptr ? *next->fiber : fibers_.spare());
  actor.fiber = nullptr;
  running_ = &actor;
  if (stopping_) throw StopStep{};
}

void Scheduler::enter_waiting(Actor& actor, Wait wait) {
  actor.wait = wait;
  actor.waiting_index = waiting_.size();
  waiting_.push_back(&actor);
}

void Scheduler::leave_waiting(Actor& actor) {
  if (actor.wait != Wait::answer && actor.wait != Wait::horizon && actor.wait != Wait::lag) return;
  waiting_[actor.waiting_index] = waiting_.back();
  waiting_[actor.waiting_index]->waiting_index = actor.waiting_index;
  waiting_.pop_back();
  actor.wait = Wait::none;
}

void Scheduler::wait_for_answer(Actor& actor, Channel& channel, Ask ask) {
  actor.waits_on = &channel;
  actor.asked = ask;
  enter_waiting(actor, Wait::answer);
  suspend(actor);
}

/// Moves `actor` on to `target`, waiting where that lies past its horizon.
void Scheduler::move_to(Actor& actor, Tick target, Account account, Tick began) {
  while (target > actor.horizon) {
    if (!actor.periodic && target <= actor.grid.last_at_or_before(limit_)) {
      announce(actor);
      commit();
      extend_horizon(actor);
      actor.horizon = std::max(actor.horizon, std::min(target, actor.grid.last_at_or_before(limit_)));
      continue;
    }
    actor.resume_at = target;
    actor.wait_began = began;
    actor.parked_account = account;
    enter_waiting(actor, Wait::horizon);
    suspend(actor);
  }
  actor.now = target;
  actor.look_back = true;
  if (account == Account::busy) return;
  actor.blocked_ticks += target - began;
  add_span(actor, account, began, target, 0);
}

void Scheduler::advance(Actor& actor) {
  if (!actor.clocked) {
    count_operation(actor);
    return;
  }
  move_to(actor, actor.now + 1, Account::busy, actor.now);
}

void Scheduler::wait_to(Actor& actor, Tick target) {
  if (target <= actor.now) return;
  actor.waited = true;
  move_to(actor, target, Account::busy, actor.now);
}

/// Waits until the port's next push has a slot.
void Scheduler::claim_slot(PortState& port) {
  Actor& actor = *port.actor;
  Channel& channel = *port.channel;
  if (port.last_access == actor.now) advance(actor);
  const Tick began = actor.now;
  while (channel.full()) {
    actor.wait = Wait::push;
    actor.waits_on = &channel;
    actor.wait_began = began;
    suspend(actor);
  }
  const Tick target = std::max(actor.now, channel.next_slot_free());
  if (target > actor.now) move_to(actor, target, Account::blocked, began);
  if (channel.windows) open_writer_window(channel);
  port.last_access = actor.now;
}

/// Waits until the port has a visible token.
void Scheduler::claim_token(PortState& port) {
  Actor& actor = *port.actor;
  Channel& channel = *port.channel;
  if (port.last_access == actor.now) advance(actor);
  const Tick began = actor.now;
  while (channel.empty() && !channel.closing()) {
    actor.wait = Wait::read;
    actor.waits_on = &channel;
    actor.wait_began = began;
    suspend(actor);
  }
  const bool drained = channel.empty();
  const Tick target = std::max(actor.now, drained ? channel.close_visible : channel.head_visible());
  if (target > actor.now) move_to(actor, target, Account::starved, began);
  if (drained) throw FinishStep{};
  if (channel.windows) open_reader_window(channel);
  port.last_access = actor.now;
}

bool Scheduler::token_visible(Actor& actor, Channel& channel) {
  for (;;) {
    if (!channel.empty()) return channel.head_visible() <= actor.now;
    if (writer_silent(channel, actor)) return false;
    wait_for_answer(actor, channel, Ask::token);
  }
}

bool Scheduler::slot_free(Actor& actor, Channel& channel) {
  for (;;) {
    if (!channel.full()) return channel.next_slot_free() <= actor.now;
    if (reader_silent(channel, actor)) return false;
    wait_for_answer(actor, channel, Ask::room);
  }
}

bool Scheduler::channel_closed(Actor& actor, Channel& channel) {
  for (;;) {
    if (!channel.empty()) return false;
    if (channel.closing()) return channel.close_visible <= actor.now;
    if (writer_silent(channel, actor)) return false;
    wait_for_answer(actor, channel, Ask::closed);
  }
}

/// Nothing that the writer may still do is seen by `reader` at its present tick.
bool Scheduler::writer_silent(const Channel& channel, const Actor& reader) const {
  return channel.closing() || channel.forward.map(effective(*channel.writer)) > reader.now || no_news_by(reader);
}

bool Scheduler::reader_silent(const Channel& channel, const Actor& writer) const {
  return channel.back.map(effective(*channel.reader)) > writer.now || no_news_by(writer);
}

bool Scheduler::answer_known(const Actor& actor) const {
  const Channel& channel = *actor.waits_on;
  if (for_room(actor)) return !channel.full() || reader_silent(channel, actor);
  return !channel.empty() || writer_silent(channel, actor);
}

/// The earliest tick of its own at which `actor` may act.
Tick Scheduler::effective(const Actor& actor, int hops) const {
  const auto follow = [&](bool there, Tick known, const auto& unknown) {
    return std::max(actor.now, there ? known : hops == 0 ? actor.now : unknown());
  };
  switch (actor.wait) {
    case Wait::finished:
      return kNever / 2;
    case Wait::read: {
      const Channel& channel = *actor.waits_on;
      return follow(!channel.empty() || channel.closing(),
                    channel.closing() && channel.empty() ? channel.close_visible : channel.head_visible(),
                    [&] { return channel.forward.map(effective(*channel.writer, hops - 1)); });
    }
    case Wait::push: {
      const Channel& channel = *actor.waits_on;
      return follow(!channel.full(), channel.next_slot_free(),
                    [&] { return channel.back.map(effective(*channel.reader, hops - 1)); });
    }
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

/// `actor` stops running: who waits for a token or a slot of its is made ready. Readers last: they run first, so that
/// what is on its way goes on to the end of a pipeline while it is in the cache, and actors stay close in time.
void Scheduler::announce(const Actor& actor) {
  for (Channel* channel : actor.inputs) {
    Actor& writer = *channel->writer;
    if (writer.wait == Wait::none || writer.ready) continue;
    const bool asks =
        writer.waits_on == channel && (writer.wait == Wait::push || (writer.wait == Wait::answer && for_room(writer)));
    if ((asks || writer.wait == Wait::sleep) && !channel->full()) asks ? make_ready(writer) : tell_sleeper(writer);
  }
  for (Channel* channel : actor.outputs) {
    Actor& reader = *channel->reader;
    if (reader.wait == Wait::none || reader.ready) continue;
    const bool asks =
        reader.waits_on == channel && (reader.wait == Wait::read || (reader.wait == Wait::answer && !for_room(reader)));
    if ((asks || reader.wait == Wait::sleep) && !channel->empty()) asks ? make_ready(reader) : tell_sleeper(reader);
  }
}

/// Before a step of an actor without `done()`: are all inputs closed and drained?
Border Scheduler::closing(Actor& actor) {
  Channel* unknown = nullptr;
  if (actor.first_input != nullptr && actor.first_input->channel->windows) {
    open_reader_window(*actor.first_input->channel);
    if (actor.first_input->cursor != actor.first_input->window_end) return Border::step;
  }
  for (Channel* channel : actor.inputs) {
    const bool closes_later = channel->closing() && channel->close_visible > actor.now;
    if (!channel->empty() || closes_later) return Border::step;
    if (channel->closing()) continue;
    if (writer_silent(*channel, actor)) return Border::step;
    unknown = channel;
  }
  if (unknown == nullptr) {
    finish(actor);
    return Border::leave;
  }
  actor.waits_on = unknown;
  actor.asked = Ask::closed;
  enter_waiting(actor, Wait::answer);
  return Border::leave;
}

Border Scheduler::at_horizon(Actor& actor) {
  if (!actor.periodic) {
    announce(actor);
    commit();
    if (extend_horizon(actor)) return Border::step;
  }
  actor.resume_at = actor.now;
  actor.wait_began = actor.now;
  actor.parked_account = Account::busy;
  enter_waiting(actor, Wait::horizon);
  return Border::leave;
}

Border Scheduler::at_same_instant(Actor& actor) {
  try {
    count_operation(actor);
  } catch (...) {
    fail(actor, std::current_exception());
    return Border::leave;
  }
  return Border::step;
}

void Scheduler::finish(Actor& actor) {
  actor.finished_at = actor.now;
  actor.wait = Wait::finished;
  if (!actor.periodic) --live_;
  for (Channel* channel : actor.outputs) {
    channel->close_visible = channel->forward.map(actor.now);
    Actor& reader = *channel->reader;
    if (reader.wait == Wait::sleep)
      tell_sleeper(reader);
    else if (reader.wait == Wait::read || reader.wait == Wait::answer)
      make_ready(reader);
  }
  for (Channel* channel : actor.inputs)
    if (channel->writer->wait == Wait::sleep || channel->writer->wait == Wait::answer) {
      if (channel->writer->wait == Wait::answer)
        make_ready(*channel->writer);
      else
        tell_sleeper(*channel->writer);
    }
}

void Scheduler::fail(Actor& actor, std::exception_ptr why) {
  actor.failure = std::move(why);
  actor.failed = true;
  actor.resume_at = kNever / 2;
  enter_waiting(actor, Wait::horizon);
  lower_limit(actor.grid.edge(actor.now));
}

void advance(Actor& actor) {
  actor.scheduler->advance(actor);
}

void claim_slot(PortState& port) {
  port.actor->scheduler->claim_slot(port);
}

void publish(PortState& port) {
  Channel& channel = *port.channel;
  const Tick now = port.actor->now;
  port.actor->moved = true;
  if (port.cursor != port.window_end) {
    std::launder(reinterpret_cast<SlotHeader*>(port.cursor))->pushed_at = now;
    port.cursor += channel.stride;
    return;
  }
  const auto n = port.moved_before;
  channel.header(n).pushed_at = now;
  if (!channel.direct()) channel.visible_at[n & (channel.slots - 1)] = channel.forward.map(now);
  if (channel.observed) port.actor->scheduler->observer().pushed(channel.index, time_of(*port.actor));
  if (!channel.windows) return step_cursor(channel, port);
  port.cursor += channel.stride;
  open_writer_window(channel);
}

void claim_token(PortState& port) {
  port.actor->scheduler->claim_token(port);
}

void release(PortState& port) {
  Channel& channel = *port.channel;
  const Tick now = port.actor->now;
  port.actor->moved = true;
  if (port.cursor != port.window_end) {
    std::launder(reinterpret_cast<SlotHeader*>(port.cursor))->popped_at = now;
    port.cursor += channel.stride;
    return;
  }
  const auto n = port.moved_before;
  channel.header(n).popped_at = now;
  if (!channel.direct()) channel.free_at[n & (channel.slots - 1)] = channel.back.map(now);
  if (channel.observed) port.actor->scheduler->observer().popped(channel.index, time_of(*port.actor));
  if (!channel.windows) return step_cursor(channel, port);
  port.cursor += channel.stride;
  open_reader_window(channel);
}

bool token_visible(PortState& port) {
  Actor& actor = *port.actor;
  if (port.last_access == actor.now) advance(actor);
  port.last_access = actor.now;
  const bool visible = actor.scheduler->token_visible(actor, *port.channel);
  if (port.channel->windows) open_reader_window(*port.channel);
  if (!visible) actor.note_no(*port.channel, Ask::token);
  return visible;
}

bool peek(PortState& port) {
  Actor& actor = *port.actor;
  if (port.last_no == actor.now || !actor.clocked) advance(actor);
  const bool visible = actor.scheduler->token_visible(actor, *port.channel);
  if (port.channel->windows) open_reader_window(*port.channel);
  if (visible) return true;
  actor.note_no(*port.channel, Ask::token);
  port.last_no = actor.now;
  return false;
}

bool slot_free(PortState& port) {
  Actor& actor = *port.actor;
  if (port.last_no == actor.now || !actor.clocked) advance(actor);
  if (actor.scheduler->slot_free(actor, *port.channel)) return true;
  actor.note_no(*port.channel, Ask::room);
  port.last_no = actor.now;
  return false;
}

bool channel_closed(PortState& port) {
  Actor& actor = *port.actor;
  if (port.last_no_closed == actor.now || !actor.clocked) advance(actor);
  if (actor.scheduler->channel_closed(actor, *port.channel)) return true;
  actor.note_no(*port.channel, Ask::closed);
  port.last_no_closed = actor.now;
  return false;
}

Time time_of(const Actor& actor) {
  return Time::fs(actor.grid.edge(actor.now));
}
void wait_until(Actor& actor, Time time) {
  actor.scheduler->wait_to(actor, actor.grid.first_at_or_after(time.femtoseconds()));
}
void wait_for(Actor& actor, Time time) {
  if (actor.clocked) throw Error("timer.wait(time) is for an actor without a clock: use wait_until");
  if (time < Time{}) throw Error(fmt::format("timer.wait({}): expected a time not below 0", to_string(time)));
  actor.scheduler->wait_to(actor, (Time::fs(actor.now) + time).femtoseconds());
}
Border closing(Actor& actor) {
  return actor.scheduler->closing(actor);
}
Border at_horizon(Actor& actor) {
  return actor.scheduler->at_horizon(actor);
}
Border after_silent_step(Actor& actor, Tick step_start) {
  return actor.scheduler->after_silent_step(actor, step_start);
}

Border after_look_back(Actor& actor, Tick step_start) {
  const auto moved_since = [&](const std::vector<Channel*>& channels, auto last_tick) {
    return std::any_of(channels.begin(), channels.end(),
                       [&](const Channel* channel) { return last_tick(*channel) >= step_start; });
  };
  actor.look_back = false;
  const bool active =
      std::exchange(actor.waited, false) ||
      moved_since(actor.outputs,
                  [](const Channel& c) { return c.pushed() > 0 ? c.header(c.pushed() - 1).pushed_at : -1; }) ||
      moved_since(actor.inputs,
                  [](const Channel& c) { return c.popped() > 0 ? c.header(c.popped() - 1).popped_at : -1; });
  if (!active) return after_silent_step(actor, step_start);
  actor.questions.clear();
  actor.sensed_time = false;
  actor.now = std::max(step_start + actor.initiation_interval + std::exchange(actor.blocked_ticks, 0), actor.now + 1);
  return Border::step;
}
Border at_same_instant(Actor& actor) {
  return actor.scheduler->at_same_instant(actor);
}
void finish(Actor& actor) {
  actor.scheduler->finish(actor);
}
void fail(Actor& actor, std::exception_ptr why) {
  actor.scheduler->fail(actor, std::move(why));
}

}  // namespace isthmus::engine
