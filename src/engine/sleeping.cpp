// Sleep (docs/time.md): an actor whose step moved nothing and left its state alone would do the same again until an
// answer changes.
#include <algorithm>

#include "scheduler.hpp"

namespace isthmus::engine {
namespace {

/// The start of a step, counted from `actor.now`, whose question at `offset` would find what holds from `change` on.
Tick start_that_sees(const Actor& actor, Tick change, Tick offset) {
  if (change >= kNever / 2) return kNever;
  const Tick late = change - offset - actor.now;
  if (late <= 0) return actor.now;
  if (actor.sleep_period == 0) return change;
  const Tick steps = (late - 1) / actor.sleep_period + 1;
  return actor.now + steps * actor.sleep_period;
}

bool counts(const Actor& actor, const Question& question) {
  const auto& promised = actor.promised_channels;
  return actor.trivial || !actor.clocked ||
         std::find(promised.begin(), promised.end(), question.channel) != promised.end();
}

/// The sleeper wants to be told of news of any of its channels.
void listen(Actor& actor) {
  for (Channel* channel : actor.inputs) channel->reader_waits = &actor;
  for (Channel* channel : actor.outputs) channel->writer_waits = &actor;
}

struct Change {
  Tick at;  ///< when the answer turns to "yes": known, or the earliest possible
  bool known;
};

}  // namespace

void add_span(Actor& actor, Account account, Tick begin, Tick end, Tick period) {
  if (begin == end) return;
  auto& spans = actor.spans;
  if (!spans.empty()) {
    Span& last = spans.back();
    if (last.end == begin && last.account == account && last.period == period &&
        (period == 0 || (end - begin) % period == 0)) {
      last.end = end;
      return;
    }
  }
  spans.push_back({begin, end, period, account});
}

void fold_spans(Actor& actor, std::int64_t time, StateObserver* observer) {
  constexpr std::size_t kWorthFolding = 64;
  auto& spans = actor.spans;
  if (spans.size() < kWorthFolding) return;
  const Tick last = actor.grid.last_at_or_before(time);
  auto kept = spans.begin();
  for (; kept != spans.end() && kept->end <= last; ++kept) {
    (kept->account == Account::blocked ? actor.blocked_before : actor.starved_before) +=
        actor.grid.between(kept->begin, kept->end);
    if (observer != nullptr)
      tell_stretch(actor, kept->account, actor.grid.edge(kept->begin), actor.grid.edge(kept->end), *observer);
  }
  spans.erase(spans.begin(), kept);
}

Border Scheduler::after_silent_step(Actor& actor, Tick step_start) {
  if (!actor.clocked) {
    actor.step_start = step_start;
    actor.idle = true;
    actor.idle_since = actor.now;
    return sleep(actor, actor.now);
  }
  const Tick next = std::max(step_start + actor.initiation_interval, actor.now + 1);
  const bool unchanged =
      actor.trivial && actor.silent_until == step_start && !actor.sensed_time && actor.same_state(actor.snapshot);
  const bool promised = !actor.trivial && actor.promised;
  actor.promised = false;
  actor.sensed_time = false;
  actor.silent_until = next;
  actor.step_start = step_start;
  add_span(actor, Account::starved, step_start, next, next - step_start);
  if (unchanged || promised) {
    actor.sleep_period = next - step_start;
    actor.idle = true;
    actor.idle_since = next;
    return sleep(actor, next);
  }
  actor.now = next;
  actor.questions.clear();
  if (actor.trivial)
    actor.copy_state(actor.snapshot);
  else if (actor.polls_since == kNever)
    actor.polls_since = next;
  return Border::step;
}

Border Scheduler::sleep(Actor& actor, Tick next) {
  actor.now = next;
  actor.wait = Wait::sleep;
  const Wake wake = wake_of(actor);
  actor.known_wake = wake.known;
  if (wake.known != kNever && wake.safe && wake.known <= actor.horizon) {
    woken(actor);
    actor.wait = Wait::none;
    return Border::step;
  }
  if (wake.known != kNever) known_wakes_.push({actor.grid.edge(wake.known), &actor, wake.known});
  listen(actor);
  return Border::leave;
}

/// When a question of the sleeper's last step would get another answer.
Scheduler::Wake Scheduler::wake_of(const Actor& actor) const {
  Tick known = kNever;
  Tick possible = kNever;
  const auto consider = [&](Change change, Tick offset) {
    Tick& least = change.known ? known : possible;
    least = std::min(least, start_that_sees(actor, change.at, offset));
  };
  for (const auto& question : actor.questions) {
    if (!counts(actor, question)) continue;
    const Channel& channel = *question.channel;
    const Tick offset = question.at - actor.step_start;
    if (question.ask == Ask::room) {
      if (!channel.full())
        consider({channel.next_slot_free(), true}, offset);
      else
        consider({channel.back.map(effective(*channel.reader)), false}, offset);
    } else if (question.ask == Ask::token) {
      if (!channel.empty())
        consider({channel.head_visible(), true}, offset);
      else if (!channel.closing())
        consider({channel.forward.map(effective(*channel.writer)), false}, offset);
    } else if (channel.empty()) {
      const bool closing = channel.closing();
      consider({closing ? channel.close_visible : channel.forward.map(effective(*channel.writer)), closing}, offset);
    }
  }
  if (const bool asks_closing = !actor.inputs.empty() && (!actor.has_done || !actor.clocked); asks_closing) {
    Change all{0, true};
    for (const Channel* channel : actor.inputs) {
      const bool closing = channel->closing();
      all.known = all.known && closing;
      all.at = std::max(all.at, !channel->empty() ? kNever
                                : closing         ? channel->close_visible
                                                  : channel->forward.map(effective(*channel->writer)));
    }
    // Closed and drained already when it fell asleep is no news.
    if (all.at < kNever && (all.at > actor.now || !actor.has_done)) consider(all, 0);
  }
  return {known, known != kNever && possible >= known};
}

/// Something on one of the sleeper's channels has become known.
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
  add_span(actor, Account::starved, actor.now, actor.known_wake, actor.clocked ? actor.sleep_period : 0);
  actor.now = actor.known_wake;
  actor.silent_until = actor.now;  // the steps it slept through were silent
  actor.idle = false;
  actor.questions.clear();
}

}  // namespace isthmus::engine
