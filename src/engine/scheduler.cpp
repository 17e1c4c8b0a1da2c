#include "scheduler.hpp"

#include <fmt/format.h>

#include "isthmus/base/error.hpp"
#include "window.hpp"

namespace isthmus::engine {
namespace {

/// What this thread keeps of an outer run, one of whose steps runs a graph of its own.
class OuterRun {
 public:
  OuterRun() = default;
  ~OuterRun() {
    running_now = now_;
    news_end = news_;
  }
  OuterRun(const OuterRun&) = delete;
  OuterRun& operator=(const OuterRun&) = delete;

 private:
  Tick now_ = running_now;
  Actor** news_ = news_end;
};

/// The distance that an actor that never waits may go before the scheduler looks at the rest of the run: a million
/// cycles, or 1 ms; less for an actor that feeds itself, so that the history of that channel reaches back to then.
Tick unwatched(const Actor& actor) {
  Tick ticks = actor.clocked ? 1 << 20 : 1'000'000'000'000;
  for (const auto* channel : actor.outputs) {
    if (channel->reader != &actor) continue;
    const auto rounds = static_cast<Tick>(channel->slots / 2 / channel->depth) - 1;
    ticks = std::min(ticks, rounds * (channel->forward.latency() + channel->back.latency()));
  }
  return ticks;
}

}  // namespace

Scheduler::Scheduler(std::vector<Actor*> actors, std::vector<Channel*> channels, const RunOptions& options,
                     ChannelObserver* observer)
    : actors_(std::move(actors)),
      channels_(std::move(channels)),
      observer_(observer),
      states_(options.states),
      fibers_(&Scheduler::dispatch, &Scheduler::after_overflow, this, options.stack_bytes),
      limit_(options.limit.femtoseconds()),
      output_(options.output),
      ready_(actors_.size()),
      news_(std::make_unique<Actor*[]>(actors_.size())),
      stall_(options, channels_.size()),
      shuffle_(options.schedule_seed),
      shuffled_(options.schedule_seed != 0) {
  for (auto* actor : actors_) {
    actor->scheduler = this;
    actor->held_back = shuffled_;
    if (!actor->periodic) ++native_;
    actor->unwatched = unwatched(*actor);
    actor->feeds_itself = std::any_of(actor->outputs.begin(), actor->outputs.end(),
                                      [&](const Channel* channel) { return channel->reader == actor; });
    actor->horizon = -1;
    if (!actor->periodic) extend_horizon(*actor);
  }
  for (auto actor = actors_.rbegin(); actor != actors_.rend(); ++actor) make_ready(**actor);
  if (kObservable && states_ != nullptr) observe_messages();
  for (auto* channel : channels_) {
    channel->observed = observer_ != nullptr || states_ != nullptr;
    channel->windows = windows_of(*channel);
    if (channel->windows == Windows::across) channel->writer->crosses = channel->reader->crosses = true;
    PortState* const reader = channel->reader_port;
    PortState* const gate = channel->reader->gate;
    // A step that waits at another port may go on to take several tokens from the gate: see `Actor::wait_out`.
    const bool by_header = channel->windows == Windows::alike && (gate == nullptr || gate == reader);
    channel->writer->moves.emplace_back(*channel->writer_port);
    channel->reader->moves.emplace_back(*reader);
    channel->wait_latency = reader->wait_latency = by_header ? reader->latency : PortState::kNoWait;
    open_writer_window(*channel);
  }
}

RunReport Scheduler::run() {
  const OverflowWatch watch(fibers_);
  const OuterRun outer;
  news_end = news_.get();
  drain();
  Ending ending;
  auto error = find_error(actors_);
  const auto quiet = find_quiescence(actors_);
  if (quiet && (!error || quiet->time < error->time)) error = quiet;
  if (error && error->time <= limit_) {
    ending = *error;
  } else if (native_ == 0) {
    ending.outcome = Outcome::finished;
    for (const auto* actor : actors_)
      if (!actor->periodic) ending.time = std::max(ending.time, actor->grid.edge(actor->finished_at));
  } else {
    ending.outcome = Outcome::limit;
    ending.time = limit_;
  }
  run_periodic_to(ending.time);
  // Periodic actors may have deadlocked among themselves on the way.
  const auto late = find_error(actors_);
  const bool holds_at_end = late && late->time == ending.time && ending.outcome != Outcome::finished &&
                            (ending.outcome == Outcome::limit || late->outcome < ending.outcome);
  if (late && (late->time < ending.time || holds_at_end)) ending = *late;
  auto report = make_report(ending, actors_, channels_, output_);
  if (states_ != nullptr)
    for (auto* actor : actors_) tell_states(*actor, ending.time, *states_);
  unwind();
  for (const auto* actor : caught_end_)
    report.warnings.push_back(
        fmt::format("{} caught what was thrown to end its step when the run was over: a catch (...) around a port must "
                    "throw it on",
                    actor->name));
  return report;
}

void Scheduler::drain() {
  next_ = pick_any(nullptr);
  if (next_ != nullptr) fibers_.switch_to(fiber_for(next_));
}

void Scheduler::dispatch(void* scheduler) {
  auto& self = *static_cast<Scheduler*>(scheduler);
  Actor* actor = self.next_;
  for (;;) {
    if (actor == nullptr || actor->stands_in_step()) {
      self.fibers_.keep_spare();
      self.fibers_.switch_to(actor == nullptr ? self.fibers_.main() : *actor->fiber);
      actor = self.next_;
      continue;
    }
    self.running_ = actor;
    Actor* const next = actor->run(*actor);
    actor = next != nullptr || self.stopping_ ? next : self.pick(actor);
  }
}

/// Tells whether the port has one token at hand: an actor that expected it may start one step.
[[gnu::always_inline]] inline bool has_one_token(const PortState& port) {
  return port.peer->cursor - port.cursor == port.channel->stride;
}

/// Lets `actor` run.
[[gnu::always_inline]] inline void set_going(Actor& actor) {
  if (actor.wait == Wait::turn && (actor.expects == nullptr || !has_one_token(*actor.expects))) actor.force_check();
  actor.wait = Wait::none;
}

/// Lets `actor` run if it need not wait after all.
bool Scheduler::start(Actor& actor) {
  actor.ready = false;
  if (!hears_news(actor.wait)) {
    if (actor.wait == Wait::finished || actor.failed) return false;
    if (actor.wait == Wait::horizon && actor.resume_at > actor.horizon) return false;
    if (actor.wait == Wait::sleep) woken(actor);
  }
  if (actor.trim_due && !keeps_history(actor)) return false;
  set_going(actor);
  return true;
}

/// Tells whether no part of the history that may still be needed can be written over before the next look; else `actor`
/// waits.
bool Scheduler::keeps_history(Actor& actor) {
  if (actor.wait != Wait::trimming && !history_safe(actor)) {
    actor.wait = Wait::none;
    if (worth_committing()) commit();
    if (!history_safe(actor)) {
      // `wait_began` and the channels keep what it would have done next: it asks again when it is started.
      enter_waiting(actor, Wait::trimming);
      return false;
    }
  }
  actor.trim_due = false;
  return true;
}

/// Takes the actor that was notified last off the list of news, and lets it run.
[[gnu::always_inline]] inline Actor* Scheduler::take_news() {
  Actor** const last = news_end - 1;
  Actor& told = **last;
  news_end = last;
  told.has_news = false;
  set_going(told);
  return &told;
}

/// The actor to run now that `after` cannot go on; null if nothing can run any more.
[[gnu::always_inline]] inline Actor* Scheduler::pick(Actor* after) {
  // The last notified actor runs first. So a token goes on to the end of a pipeline while it is in the cache, and
  // the latest output of an actor is handled before earlier ones.
  if (has_news_for_one()) [[likely]]
    return take_news();
  return pick_any(after);
}

/// Makes `actor` wait for its turn at `awaited`. Returns the actor that goes on in its place, or null if that is not
/// known yet.
[[gnu::always_inline]] inline Actor* Scheduler::hand_over(Actor& actor, PortState& awaited) {
  await_turn(actor, awaited);
  return has_news_for_one() ? running_ = take_news() : nullptr;
}

Actor* Scheduler::pick_any(const Actor* after) {
  for (;;) {
    hear_all();
    if (Actor* asker = answered_asker(); asker != nullptr && start(*asker)) return asker;
    while (ready_count_ != 0)
      if (Actor& actor = next_ready(); start(actor)) return &actor;
    const bool found = after != nullptr && after->wait == Wait::answer && !shuffled_ && along_failed_polls(*after);
    after = nullptr;
    if (!found && !let_time_pass()) return nullptr;
  }
}

/// The actor that asked last, if its answer is known now. It runs before actors that have nothing to do with it, and
/// whose memory is cold.
inline Actor* Scheduler::answered_asker() {
  const bool asks = last_asker_ != nullptr && last_asker_->wait == Wait::answer && !last_asker_->ready && !shuffled_;
  if (!asks || !answer_known(*last_asker_)) return nullptr;
  return std::exchange(last_asker_, nullptr);
}

inline Actor& Scheduler::next_ready() {
  if (shuffled_) [[unlikely]]
    std::swap(ready_[shuffle_() % ready_count_], ready_[ready_count_ - 1]);
  return *ready_[--ready_count_];
}

/// Follows the chain of actors that wait for each other's answers to the first that can run, and makes it ready.
/// Effective times fall strictly along the chain, so that only a cycle of waits has no end.
bool Scheduler::along_failed_polls(const Actor& from) {
  const Actor* asker = &from;
  for (std::size_t hops = 0; hops < actors_.size(); ++hops) {
    const bool for_room = asker->wait == Wait::push || (asker->wait == Wait::answer && asker->polled == Poll::room);
    Actor& asked = for_room ? *asker->waits_on->reader : *asker->waits_on->writer;
    switch (asked.wait) {
      case Wait::answer:
        if (answer_known(asked)) make_ready(asked);
        break;
      case Wait::turn:
        make_ready(asked);
        break;
      case Wait::read:
      case Wait::push:
        break;
      case Wait::sleep:
        tell_sleeper(asked);
        return asked.ready;
      case Wait::horizon:
        if (!asked.periodic || asked.failed) return false;
        set_horizon(asked, std::min(limit_, from.grid.edge(from.now)));
        if (asked.resume_at <= asked.horizon) make_ready(asked);
        return asked.ready;
      case Wait::none:
      case Wait::trimming:
      case Wait::finished:
        return false;
    }
    if (asked.ready) return true;
    asker = &asked;
    if (asker == &from) return false;
  }
  return false;
}

/// Called if nothing is ready: answers every poll that can be answered, else lets the earliest known event happen.
/// Returns false at the end.
bool Scheduler::let_time_pass() {
  look_for_stall(1);
  drop_those_that_run();
  if (answer_polls() || give_turns()) return true;
  if (native_ == 0 && !ending_) return false;
  const auto time = earliest_known();
  if (!ending_ && may_end_quiet() && find_quiescence(actors_)) return false;
  if (time > limit_) return false;
  quiet_until_ = std::max(quiet_until_, time);
  if (looks_ahead(time)) commit_to(time);
  if (time > limit_) return true;  // an error was found earlier: look again
  return act_at(time);
}

/// Tells whether histories have to be trimmed up to `time`: if an actor waits for that, and now and then otherwise, so
/// that an error in a part of a run that never ends is found.
bool Scheduler::looks_ahead(std::int64_t time) {
  constexpr std::uint32_t kOften = 16;
  const auto trims = [](const Actor* actor) { return actor->wait == Wait::trimming; };
  return time > committed_ && (++passes_ % kOften == 0 || std::ranges::any_of(waiting_, trims));
}

bool Scheduler::answer_polls() {
  bool any = false;
  for (auto* actor : waiting_)
    if (actor->wait == Wait::answer && answer_known(*actor)) {
      make_ready(*actor);
      any = true;
    }
  return any;
}

/// Lets the actors that expected news which does not come go on without it.
bool Scheduler::give_turns() {
  bool any = false;
  for (auto* actor : waiting_)
    if (actor->wait == Wait::turn) {
      actor->expects = actor->expects_token = nullptr;
      ++actor->vain_turns;
      make_ready(*actor);
      any = true;
    }
  return any;
}

std::int64_t Scheduler::earliest_known() {
  std::int64_t earliest = kNever;
  for (const auto* actor : waiting_) {
    if (actor->failed) continue;
    const Tick tick = actor->wait == Wait::horizon ? actor->resume_at : actor->now;
    earliest = std::min(earliest, actor->grid.edge(tick));
  }
  while (!known_wakes_.empty()) {
    const auto& top = known_wakes_.top();
    if (top.actor->wait == Wait::sleep && top.actor->known_wake == top.tick) {
      earliest = std::min(earliest, top.time);
      break;
    }
    known_wakes_.pop();
  }
  return earliest;
}

bool Scheduler::act_at(std::int64_t time) {
  bool any = answer_polls();
  for (auto* actor : waiting_) {
    if (actor->wait == Wait::trimming && history_safe(*actor)) {
      make_ready(*actor);
      any = true;
    }
    if (actor->wait == Wait::horizon && actor->periodic && actor->grid.edge(actor->resume_at) <= time) {
      set_horizon(*actor, time);
      make_ready(*actor);
      any = true;
    }
  }
  while (!known_wakes_.empty() && known_wakes_.top().time <= time) {
    const auto top = known_wakes_.top();
    known_wakes_.pop();
    if (top.actor->wait != Wait::sleep || top.actor->known_wake != top.tick) continue;
    if (top.actor->periodic) set_horizon(*top.actor, time);
    make_ready(*top.actor);
    any = true;
  }
  return any;
}

bool Scheduler::may_end_quiet() const {
  if (!known_wakes_.empty() && !known_wakes_.top().actor->periodic) return false;
  return std::none_of(waiting_.begin(), waiting_.end(),
                      [](const Actor* actor) { return actor->wait != Wait::horizon && !actor->periodic; });
}

/// The end is known; periodic actors still run up to it, because what they do until then counts.
void Scheduler::run_periodic_to(std::int64_t time) {
  ending_ = true;
  limit_ = std::min(limit_, time);
  for (auto* actor : actors_) {
    if (!actor->periodic) continue;
    set_horizon(*actor, time);
    const bool goes_on =
        actor->wait == Wait::trimming || (actor->wait == Wait::horizon && actor->resume_at <= actor->horizon);
    if (goes_on && !actor->failed) make_ready(*actor);
  }
  drain();
}

/// Lets the objects on the stacks of steps that will not go on be destroyed.
void Scheduler::unwind() {
  stopping_ = true;
  for (const Channel* channel : channels_) channel->writer_port->listener = channel->reader_port->listener = nullptr;
  for (auto* actor : actors_)
    if (actor->stands_in_step()) fibers_.switch_to(*actor->fiber);
  for (auto* actor : actors_) actor->end_run();
}

/// Goes on, on a fresh stack, after the running actor has run over the guard page of its own.
void Scheduler::after_overflow(void* scheduler) {
  auto& self = *static_cast<Scheduler*>(scheduler);
  Actor& actor = *self.running_;
  actor.now = running_now;
  self.fail(actor, std::make_exception_ptr(Error(fmt::format("stack overflow: a step used more than the {} KiB it may",
                                                             self.fibers_.stack_bytes() / 1024))));
  self.next_ = self.pick_any(nullptr);
  dispatch(scheduler);
}

}  // namespace isthmus::engine
