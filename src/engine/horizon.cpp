// How far an actor may run ahead, and which part of the history is kept until no error can lie before it any more.
#include <algorithm>

#include "scheduler.hpp"

namespace isthmus::engine {

void Scheduler::set_horizon(Actor& actor, std::int64_t time) {
  actor.horizon = actor.grid.last_at_or_before(std::min(time, limit_));
  set_look(actor);
  actor.forbid_waits();
}

/// Gives an actor that is not periodic more time to run ahead, if the limit leaves some.
bool Scheduler::extend_horizon(Actor& actor) {
  const Tick last = actor.grid.last_at_or_before(limit_);
  actor.horizon = actor.now > last - actor.unwatched ? last : actor.now + actor.unwatched;
  set_look(actor);
  return actor.now <= actor.horizon;
}

void Scheduler::lower_limit(std::int64_t time) {
  if (time >= limit_) return;
  limit_ = time;
  for (auto* actor : actors_) {
    actor->horizon = std::min(actor->horizon, actor->grid.last_at_or_before(limit_));
    actor->next_boundary_check = std::min(actor->next_boundary_check, actor->horizon + 1);
    actor->forbid_waits();
  }
}

/// A commit looks at every actor. In a graph of many actors it therefore waits until as many of them have asked for it,
/// or nobody can run.
bool Scheduler::worth_committing() {
  constexpr std::size_t kMany = 64;
  if (actors_.size() > kMany && ++commits_asked_ < actors_.size()) return false;
  commits_asked_ = 0;
  return true;
}

/// Finds the time before which nothing new can happen, and the errors that hold by then.
void Scheduler::commit() {
  std::int64_t time = kNever;
  for (const auto* actor : actors_) {
    if (actor->wait == Wait::finished || actor->failed || blocked_for_good(*actor)) continue;
    Tick next = actor->now;
    if (actor->wait == Wait::sleep) next = actor->known_wake;
    if (actor->wait == Wait::horizon) next = actor->resume_at;
    time = std::min(time, actor->grid.edge(next));
  }
  commit_to(time);
}

void Scheduler::commit_to(std::int64_t time) {
  // A cycle of waits closes, and a push meets a finished reader, where somebody has just blocked or finished.
  if (const auto error = find_error(blocked_lately_)) lower_limit(error->time);
  for (Actor* actor : blocked_lately_) actor->blocked_lately = false;
  blocked_lately_.clear();
  committed_ = std::max(committed_, std::min(time, limit_));  // what lies past the limit may yet be cut
}

void Scheduler::note_wait(Actor& actor, const Span& span) {
  if (actor.spans.full()) make_room(actor);
  actor.spans.add(span);
}

/// Makes room in the spans of `actor`. They stay small, and so in the caches, unless the histories have not been
/// trimmed for long. Trimming costs a look at every actor, so a quarter of them have to ask for it.
void Scheduler::make_room(Actor& actor) {
  if (4 * ++spans_filled_ >= actors_.size() && all_heard()) {
    spans_filled_ = 0;
    commit();
  }
  fold_spans(actor, committed_, states_);
}

/// Tells whether the oldest entries of the actor's rings, which could be written over before the next look, are no
/// longer needed.
bool Scheduler::history_safe(const Actor& actor) const {
  for (const auto* channel : actor.outputs) {
    const auto span = channel->slots / 2 - channel->depth + 1;
    const auto pushed = channel->pushed();
    if (pushed > span && actor.grid.edge(channel->header(pushed - span).pushed_at) > committed_) return false;
  }
  for (const auto* channel : actor.inputs) {
    const auto span = channel->slots / 2 - channel->depth + 1;
    const auto popped = channel->popped();
    if (popped > span && actor.grid.edge(channel->header(popped - span).popped_at) > committed_) return false;
  }
  return true;
}

}  // namespace isthmus::engine
