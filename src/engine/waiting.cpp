// What an actor does when what it asks is not known yet: the slow paths of ports and of the border between two steps.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "isthmus/base/error.hpp"
#include "isthmus/engine/lane.hpp"
#include "scheduler.hpp"
#include "window.hpp"

namespace isthmus::engine {
namespace {

constexpr int kOperationsAtOneInstant = 1'000'000;

bool for_room(const Actor& actor) {
  return actor.asked == Ask::room;
}

/// The reader's end was popped, or found empty, at the present tick.
bool accessed_now(const PortState& port) {
  return port.channel->last_popped_at() == port.actor->now || port.last_miss == port.actor->now;
}

/// A step blocks at `port`: from the next step on its actor looks for news of it before it starts, unless that news
/// has often come only after the step had begun.
void expect(PortState& port) {
  constexpr int kOften = 8;
  Actor& actor = *port.actor;
  if (actor.vain_turns < kOften) actor.expects = &port;
  actor.fuel = -1;
}

/// The writer waits to push what the reader has made room for.
bool about_to_push(const Channel& channel) {
  const Actor& writer = *channel.writer;
  return writer.waits_on == &channel && (writer.wait == Wait::push || writer.wait == Wait::turn);
}

void count_operation(Actor& actor) {
  if (actor.instant != actor.now) {
    actor.instant = actor.now;
    actor.at_instant = 0;
  }
  if (++actor.at_instant >= kOperationsAtOneInstant) throw Error("a million operations at one instant");
}

/// While a scheduler's code runs for the actor of this thread: its tick is in `Actor::now`.
class Here {
 public:
  explicit Here(Actor& actor) : actor_(actor) { actor.now = running_now; }
  ~Here() { running_now = actor_.now; }
  Here(const Here&) = delete;
  Here& operator=(const Here&) = delete;

 private:
  Actor& actor_;
};

}  // namespace

thread_local constinit Tick running_now = 0;

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

inline void Scheduler::enter_waiting(Actor& actor, Wait wait) {
  actor.wait = wait;
  if (actor.listed) return;
  actor.listed = true;
  waiting_.push_back(&actor);
}

void Scheduler::drop_those_that_run() {
  std::erase_if(waiting_, [](Actor* actor) {
    actor->listed = actor->wait == Wait::answer || actor->wait == Wait::turn || actor->wait == Wait::horizon ||
                    actor->wait == Wait::lag;
    return !actor->listed;
  });
}

void Scheduler::wait_for_answer(Actor& actor, Channel& channel, Ask ask) {
  actor.waits_on = &channel;
  actor.asked = ask;
  (ask == Ask::room ? channel.writer_waits : channel.reader_waits) = &actor;
  enter_waiting(actor, Wait::answer);
  suspend(actor);
}

/// Moves `actor` on to `target`, waiting where that lies past its horizon.
inline void Scheduler::move_to(Actor& actor, Tick target, Account account, Tick began) {
  if (target > actor.horizon) [[unlikely]]
    wait_for_horizon(actor, target, account, began);
  actor.now = target;
  actor.ask_look_back();
  if (account == Account::busy) return;
  actor.blocked_ticks += target - began;
  add_span(actor, account, began, target, 0);
}

void Scheduler::wait_for_horizon(Actor& actor, Tick target, Account account, Tick began) {
  while (target > actor.horizon) {
    if (!actor.periodic && target <= actor.grid.last_at_or_before(limit_)) {
      announce_all(actor);
      commit();
      if (actor.feeds_itself && !keeps_record(actor)) suspend(actor);
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
  if (channel.last_pushed_at() == actor.now) advance(actor);
  const Tick began = actor.now;
  while (channel.full()) {
    actor.wait = Wait::push;
    actor.waits_on = &channel;
    actor.wait_began = began;
    channel.writer_waits = &actor;
    expect(port);
    suspend(actor);
  }
  const Tick target = channel.next_slot_free();
  if (target > actor.now) {
    move_to(actor, target, Account::blocked, began);
    actor.moved_late = true;
  }
  if (channel.windows) open_writer_window(channel);
}

/// Waits until the port has a visible token.
void Scheduler::claim_token(PortState& port) {
  Actor& actor = *port.actor;
  Channel& channel = *port.channel;
  if (accessed_now(port)) advance(actor);
  const Tick began = actor.now;
  while (channel.empty() && !channel.closing()) {
    actor.wait = Wait::read;
    actor.waits_on = &channel;
    actor.wait_began = began;
    channel.reader_waits = &actor;
    expect(port);
    suspend(actor);
  }
  const bool drained = channel.empty();
  const Tick target = drained ? channel.close_visible : channel.head_visible();
  const bool late = target > actor.now;
  if (late) {
    move_to(actor, target, Account::starved, began);
    actor.moved_late = true;
  }
  if (drained) throw FinishStep{};
  if (channel.windows && !late) open_reader_window(channel);  // else the border to the next step opens it
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

/// Nothing that the writer may still do is seen by `reader` at its present tick. A bound that was found once holds for
/// ever.
bool Scheduler::writer_silent(Channel& channel, const Actor& reader) const {
  if (channel.closing() || channel.no_token_before > reader.now || no_news_by(reader)) return true;
  channel.no_token_before = std::max(channel.no_token_before, channel.forward.map(effective(*channel.writer)));
  return channel.no_token_before > reader.now;
}

bool Scheduler::reader_silent(Channel& channel, const Actor& writer) const {
  if (channel.no_slot_before > writer.now || no_news_by(writer)) return true;
  channel.no_slot_before = std::max(channel.no_slot_before, channel.back.map(effective(*channel.reader)));
  return channel.no_slot_before > writer.now;
}

bool Scheduler::answer_known(const Actor& actor) const {
  Channel& channel = *actor.waits_on;
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

/// `actor` stops running: who waits for a token or a slot of its is told. Returns the last of them, which is not made
/// ready but has to be started: a reader where there is one, so that what is on its way goes on to the end of a
/// pipeline while it is in the cache, and actors stay close in time.
[[gnu::always_inline]] inline Actor* Scheduler::announce(const Actor& actor) {
  Actor* last = nullptr;
  const auto news = [&](Actor*& waiting, const Channel& channel) {
    Actor& told = *std::exchange(waiting, nullptr);
    if (!tell(told, channel)) return;
    if (last != nullptr) make_ready(*last);
    last = &told;
  };
  for (Channel* channel : actor.inputs)
    if (channel->writer_waits != nullptr && !channel->full()) news(channel->writer_waits, *channel);
  for (Channel* channel : actor.outputs)
    if (channel->reader_waits != nullptr && !channel->empty()) news(channel->reader_waits, *channel);
  if (last == nullptr || !shuffled_) return last;
  make_ready(*last);
  return nullptr;
}

void Scheduler::announce_all(const Actor& actor) {
  if (Actor* last = announce(actor)) make_ready(*last);
}

/// There is news of `channel`: whether `actor` was waiting for it and nobody has told it yet.
inline bool Scheduler::tell(Actor& actor, const Channel& channel) {
  if (actor.ready) return false;
  if (hears_news(actor.wait)) return actor.waits_on == &channel;
  if (actor.wait == Wait::sleep) tell_sleeper(actor);
  return false;
}

namespace {

/// For how many ticks the port's window surely holds out.
[[gnu::always_inline]] inline Tick ticks_at_hand(PortState& port) {
  Channel& channel = *port.channel;
  if (port.cursor != port.window_end) return static_cast<Tick>(channel.tokens(port.window_end - port.cursor));
  if (!channel.windows) return 0;
  return &port == channel.reader_port ? open_reader_window(channel) : open_writer_window(channel);
}

}  // namespace

/// Leaves `actor` between two steps until it is known whether `input` closes.
[[gnu::always_inline]] inline Border Scheduler::wait_at_border(Actor& actor, Channel& input) {
  actor.waits_on = &input;
  actor.asked = Ask::closed;
  input.reader_waits = &actor;
  enter_waiting(actor, Wait::answer);
  return Border::leave;
}

/// A step that blocks keeps a stack; one that waits before it starts needs none. When a step may start makes no
/// difference to what it finds.
[[gnu::always_inline]] inline bool Scheduler::waits_for_its_turn(Actor& actor) {
  if (actor.expects == nullptr) return false;
  Channel& channel = *actor.expects->channel;
  if (actor.expects == channel.reader_port) {
    if (!channel.empty() || channel.closing()) return false;
    channel.reader_waits = &actor;
  } else {
    if (!channel.full()) return false;
    channel.writer_waits = &actor;
  }
  actor.waits_on = &channel;
  enter_waiting(actor, Wait::turn);
  return true;
}

[[gnu::always_inline]] inline Border Scheduler::border(Actor& actor, Tick next) {
  actor.fuel = -1;
  if (actor.look_back) [[unlikely]] {
    if (after_look_back(actor, next - actor.initiation_interval) == Border::leave) return Border::leave;
  } else {
    actor.now = next;
  }
  if (actor.now > actor.horizon && at_horizon(actor) == Border::leave) [[unlikely]]
    return Border::leave;
  Tick fuel = actor.horizon + 1;
  if (PortState* gate = actor.gate) {
    Tick ticks = ticks_at_hand(*gate);
    if (ticks == 0) {
      // The commonest case first: all is read, and who wrote it goes on.
      if (gate->channel->empty() && about_to_push(*gate->channel)) return wait_at_border(actor, *gate->channel);
      if (closing(actor) == Border::leave) return Border::leave;
      if (gate == actor.expects && waits_for_its_turn(actor)) return Border::leave;
      ticks = 1;
    }
    fuel = std::min(fuel, actor.now + ticks);
  }
  if (PortState* port = actor.expects; port != nullptr && port != actor.gate) {
    Tick ticks = ticks_at_hand(*port);
    if (ticks == 0) {
      if (waits_for_its_turn(actor)) return Border::leave;
      ticks = 1;
    }
    fuel = std::min(fuel, actor.now + ticks);
  }
  actor.fuel = fuel;
  return Border::step;
}

Border Scheduler::clockless_border(Actor& actor) {
  if (actor.now > actor.horizon && at_horizon(actor) == Border::leave) return Border::leave;
  if (actor.gate != nullptr && closing(actor) == Border::leave) return Border::leave;
  return waits_for_its_turn(actor) ? Border::leave : Border::step;
}

/// The last step waited or was told "no".
Border Scheduler::after_look_back(Actor& actor, Tick step_start) {
  actor.look_back = false;
  const bool waited = std::exchange(actor.waited, false);
  const bool active = std::exchange(actor.moved_late, false) || waited ||
                      std::any_of(actor.outputs.begin(), actor.outputs.end(),
                                  [&](const Channel* channel) { return channel->last_pushed_at() >= step_start; }) ||
                      std::any_of(actor.inputs.begin(), actor.inputs.end(),
                                  [&](const Channel* channel) { return channel->last_popped_at() >= step_start; });
  if (!active) return after_silent_step(actor, step_start);
  actor.questions.clear();
  actor.sensed_time = false;
  actor.now = std::max(step_start + actor.initiation_interval + std::exchange(actor.blocked_ticks, 0), actor.now + 1);
  return Border::step;
}

/// Before a step of an actor without `done()`: are all inputs closed and drained?
Border Scheduler::closing(Actor& actor) {
  if (std::ranges::any_of(actor.inputs, [](const Channel* channel) { return !channel->empty(); })) return Border::step;
  Channel* unknown = nullptr;
  for (Channel* channel : actor.inputs) {
    if (channel->closing()) {
      if (channel->close_visible > actor.now) return Border::step;
      continue;
    }
    if (writer_silent(*channel, actor)) return Border::step;
    unknown = channel;
  }
  if (unknown == nullptr) {
    finish(actor);
    return Border::leave;
  }
  return wait_at_border(actor, *unknown);
}

Border Scheduler::at_horizon(Actor& actor) {
  if (!actor.periodic) {
    announce_all(actor);
    commit();
    if (actor.feeds_itself && !keeps_record(actor)) return Border::leave;
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
    else if (reader.wait == Wait::read || reader.wait == Wait::answer || reader.wait == Wait::turn)
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
  const Here here(*port.actor);
  port.actor->scheduler->claim_slot(port);
}

void publish(PortState& port) {
  Channel& channel = *port.channel;
  port.actor->moved = true;
  Channel::header_at(port.cursor).pushed_at = running_now;
  if (port.cursor != port.window_end) {
    port.cursor += channel.stride;
    return;
  }
  if (!channel.direct()) channel.visible_at[channel.pushed() & (channel.slots - 1)] = channel.forward.map(running_now);
  if (channel.observed) port.actor->scheduler->observer().pushed(channel.index, time_of(*port.actor));
  channel.step(port);
  port.window_end = port.cursor;
}

void claim_token(PortState& port) {
  const Here here(*port.actor);
  port.actor->scheduler->claim_token(port);
}

void release(PortState& port) {
  Channel& channel = *port.channel;
  port.actor->moved = true;
  Channel::header_at(port.cursor).popped_at = running_now;
  if (port.cursor != port.window_end) {
    port.cursor += channel.stride;
    return;
  }
  if (!channel.direct()) channel.free_at[channel.popped() & (channel.slots - 1)] = channel.back.map(running_now);
  if (channel.observed) port.actor->scheduler->observer().popped(channel.index, time_of(*port.actor));
  channel.step(port);
  port.window_end = port.cursor;
}

bool token_visible(PortState& port) {
  Actor& actor = *port.actor;
  const Here here(actor);
  if (accessed_now(port)) advance(actor);
  const bool visible = actor.scheduler->token_visible(actor, *port.channel);
  if (port.channel->windows) open_reader_window(*port.channel);
  if (visible) return true;
  actor.note_no(*port.channel, Ask::token);
  port.last_miss = actor.now;
  return false;
}

bool peek(PortState& port) {
  Actor& actor = *port.actor;
  const Here here(actor);
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
  const Here here(actor);
  if (port.last_no == actor.now || !actor.clocked) advance(actor);
  if (actor.scheduler->slot_free(actor, *port.channel)) return true;
  actor.note_no(*port.channel, Ask::room);
  port.last_no = actor.now;
  return false;
}

bool channel_closed(PortState& port) {
  Actor& actor = *port.actor;
  const Here here(actor);
  if (port.last_no_closed == actor.now || !actor.clocked) advance(actor);
  if (actor.scheduler->channel_closed(actor, *port.channel)) return true;
  actor.note_no(*port.channel, Ask::closed);
  port.last_no_closed = actor.now;
  return false;
}

Time time_of(const Actor& actor) {
  if (actor.live != nullptr) return actor.live->now();
  return Time::fs(actor.grid.edge(running_now));
}

void wait_until(Actor& actor, Time time) {
  if (actor.live != nullptr) return actor.live->wait_until(time);
  const Here here(actor);
  actor.scheduler->wait_to(actor, actor.grid.first_at_or_after(time.femtoseconds()));
}

void wait_for(Actor& actor, Time time) {
  if (actor.clocked) throw Error("timer.wait(time) is for an actor without a clock: use wait_until");
  if (time < Time{}) throw Error(fmt::format("timer.wait({}): expected a time not below 0", to_string(time)));
  if (actor.live != nullptr) return actor.live->wait_until(actor.live->now() + time);
  const Here here(actor);
  actor.scheduler->wait_to(actor, (Time::fs(actor.now) + time).femtoseconds());
}

Border border(Actor& actor, Tick next) {
  return actor.scheduler->border(actor, next);
}
Border clockless_border(Actor& actor) {
  return actor.scheduler->clockless_border(actor);
}
Border after_silent_step(Actor& actor, Tick step_start) {
  return actor.scheduler->after_silent_step(actor, step_start);
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
