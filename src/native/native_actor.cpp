#include "native/native_actor.hpp"

#include <algorithm>
#include <utility>

#include "native/barrier.hpp"
#include "native/run.hpp"
#include "native/worker.hpp"

namespace isthmus::native {
namespace {

constexpr int kSpins = 256;  // looks before the actor lets its worker run others
constexpr int kTurns = 64;   // steps before the other actors of its worker have their turn

/// The interval at which an actor is stepped that has no news but may act all the same: it counts its steps, or looks
/// at the time.
constexpr Time kPoll = Time::us(20);

End& end_of(engine::RingEnd& ring_end) {
  return static_cast<End&>(ring_end);
}

}  // namespace

void NativeActor::add(End& end) {
  end.actor = this;
  ends_.push_back(&end);
  only_input_ = std::ranges::count(ends_, false, &End::writes) == 1;
}

engine::SlotRange NativeActor::open(End& end) {
  publish_held();
  for (; end.pauses > 0; --end.pauses) relax();
  const engine::SlotRange slots = end.ring->open(end);
  if (!slots.open()) return slots;
  if (end.apart) end.ring->pace(end, slots);
  if (target_.load(std::memory_order_relaxed) != nullptr) look = look_at_boundary = true;
  end.opened = ++opened_;
  return slots;
}

engine::SlotRange NativeActor::await_token(engine::RingEnd& ring_end) {
  End& end = end_of(ring_end);
  for (;;) {
    if (const auto slots = open(end); slots.open()) return slots;
    if (end.ring->over(end)) {
      if (const auto slots = open(end); slots.open()) return slots;  // the writer pushed just before it closed
      throw engine::FinishStep{};
    }
    if (shares_worker() || !spin(end)) suspend(Wait::token, &end);
  }
}

engine::SlotRange NativeActor::await_room(engine::RingEnd& ring_end) {
  End& end = end_of(ring_end);
  for (;;) {
    if (const auto slots = open(end); slots.open()) return slots;
    if (end.ring->over(end) && !actor_.periodic) {
      if (const auto slots = open(end); slots.open()) return slots;
      worker().run().stop_stuck(*this, end);
      throw engine::StopStep{};
    }
    if (shares_worker() || !spin(end)) suspend(Wait::room, &end);
  }
}

/// Tells whether other actors, or other workers, could run while this one waits.
bool NativeActor::shares_worker() const {
  return worker().actors().size() > 1 || worker().run().crowded();
}

/// Waits as the worker does, without the way there and back, if the worker has no other actor to run.
bool NativeActor::spin(const End& end) {
  publish_held();
  rests();
  bool found = false;
  for (int i = 0; i < kSpins && !found && !worker().run().stopping(); ++i) {
    relax();
    found = end.ring->could_open(end) || end.ring->over(end);
  }
  goes_on();
  return found;
}

engine::SlotRange NativeActor::find(engine::RingEnd& ring_end) {
  End& end = end_of(ring_end);
  const auto slots = open(end);
  if (slots.open()) return slots;
  end.asked = true;
  note_failed_poll();
  return slots;
}

void NativeActor::note_failed_poll() {
  publish_held();
  poll_failed_ = look = look_at_boundary = true;
}

bool NativeActor::closed(engine::RingEnd& ring_end) {
  End& end = end_of(ring_end);
  // The order counts: what was pushed before the close must be found.
  end.seen_closed = end.ring->closed.load(std::memory_order_acquire);
  if (end.seen_closed && !end.ring->could_open(end)) return true;
  end.asked_closed = true;
  note_failed_poll();
  return false;
}

Time NativeActor::seen_at(const engine::RingEnd& ring_end) const {
  return Time::fs(static_cast<const End&>(ring_end).opened);
}

void NativeActor::tell_other_end(engine::RingEnd& ring_end) {
  ring_end.watched.store(false, std::memory_order_relaxed);
  static_cast<NativeActor*>(end_of(ring_end).other->actor)->worker().wake();
}

Time NativeActor::now() {
  return worker().run().now();
}

void NativeActor::wait_until(Time time) {
  if (time <= now()) return;
  actor_.waited = true;
  until_ = time;
  suspend(Wait::time, nullptr);
}

/// Lets the other actors of the worker run until this one is ready.
void NativeActor::suspend(Wait wait, const End* on) {
  publish_held();
  if (worker().run().stopping()) throw engine::StopStep{};
  wait_ = wait;
  waits_on_ = on;
  worker().suspend(*this);
  if (worker().run().stopping()) throw engine::StopStep{};
  wait_ = Wait::none;
}

bool NativeActor::ready() const {
  switch (wait_) {
    case Wait::none:
      return true;
    case Wait::token:
    case Wait::room:
    case Wait::lead:
      return waits_on_->ring->could_open(*waits_on_) ||
             (waits_on_->ring->over(*waits_on_) && !(waits_on_->writes && actor_.periodic));
    case Wait::news:
      return std::ranges::any_of(ends_, [](const End* end) { return end->ring->news(*end); }) ||
             (!actor_.has_done && inputs_drained());
    case Wait::time:
      return worker().run().now() >= until_;
    case Wait::finished:
      break;
  }
  return false;
}

bool NativeActor::inputs_drained() const {
  bool any = false;
  for (const End* end : ends_) {
    if (end->writes) continue;
    any = true;
    if (!end->ring->over(*end) || end->ring->could_open(*end)) return false;
  }
  return any;
}

bool NativeActor::has_moved() {
  bool moved = std::exchange(actor_.waited, false);
  for (End* end : ends_) {
    const auto count = end->ring->moved(*end);
    moved |= std::exchange(end->counted, count) != count;
  }
  return moved;
}

engine::AtBoundary NativeActor::leave(Wait wait, const End* on) {
  turns_ = 0;
  wait_ = wait;
  waits_on_ = on;
  at_step_boundary_ = true;
  return engine::AtBoundary::leave;
}

engine::AtBoundary NativeActor::before_next_step(bool lead_open) {
  const bool asked_in_vain = std::exchange(poll_failed_, false);
  if (worker().run().stopping()) return leave(Wait::none);
  wait_ = Wait::none;
  if (!actor_.has_done && inputs_drained()) {
    finish();
    return engine::AtBoundary::leave;
  }
  if (asked_in_vain && !has_moved()) return after_silent_step();
  if (asked_in_vain) silent_before_ = false;
  if (asked_in_vain)
    for (End* end : ends_) end->asked = end->asked_closed = false;
  if (++turns_ >= kTurns) return asked_in_vain ? leave(Wait::none) : after_turn();
  if (target_.load(std::memory_order_relaxed) != nullptr) return leave(Wait::none);
  if (!lead_open && waits_for_lead(end_of(*lead->ring_end))) return leave(Wait::lead, &end_of(*lead->ring_end));
  return engine::AtBoundary::step;
}

/// Tells whether the actor waits for its lead now. Other actors run meanwhile, and no stack is kept for a step that
/// begins with that wait. An actor whose step was seen to begin otherwise does not wait here.
bool NativeActor::waits_for_lead(const End& end) {
  const bool insists = std::exchange(insists_, false);
  if (goes_past_lead_ || worker().actors().size() == 1) return false;
  if (end.ring->could_open(end) || end.ring->over(end)) return false;
  goes_past_lead_ = tried_at_ == end.opened;
  if (insists) tried_at_ = end.opened;
  return !insists && !goes_past_lead_;
}

/// Called where a step without the token of the only input did nothing: from now on other actors have their turn first.
void NativeActor::wait_for_lead_again() {
  goes_past_lead_ = false;
  tried_at_ = kNeverTried;
}

/// Ends a step that had a failed poll and moved nothing. The next step can only differ if an answer has changed, the
/// actor has another state, or it looks at the time.
engine::AtBoundary NativeActor::after_silent_step() {
  const bool looks_at_time = actor_.sensed_time && actor_.clocked;
  if (only_input_ && !looks_at_time) wait_for_lead_again();
  if (would_repeat()) return leave(Wait::news);
  until_ = now() + kPoll;
  return leave(actor_.trivial && !looks_at_time ? Wait::none : Wait::time);
}

/// Ends a turn. If its steps had no failed poll and, all of them together, moved nothing and left the state as it was,
/// the next steps do the same.
engine::AtBoundary NativeActor::after_turn() {
  if (!has_moved()) return leave(would_repeat() ? Wait::news : Wait::none);
  silent_before_ = false;
  return leave(Wait::none);
}

/// Tells whether the actor, which has moved nothing since the last look, repeats its step until an answer changes.
/// Keeps the state for the next look.
bool NativeActor::would_repeat() {
  const bool same = silent_before_ && actor_.trivial && actor_.same_state(actor_.snapshot);
  const bool knows = !actor_.clocked || std::exchange(actor_.promised, false) || same;
  const bool looks_at_time = std::exchange(actor_.sensed_time, false) && actor_.clocked;
  if (actor_.trivial && !same) actor_.copy_state(actor_.snapshot);
  silent_before_ = true;
  return knows && !looks_at_time;
}

Worker* NativeActor::leaves_for() const {
  return at_step_boundary_ && wait_ != Wait::finished ? target_.load(std::memory_order_acquire) : nullptr;
}

void NativeActor::belong_to(Worker& worker) {
  worker_.store(&worker, std::memory_order_release);
  Worker* sent_here = &worker;  // it may have been sent on since then
  target_.compare_exchange_strong(sent_here, nullptr);
}

void NativeActor::meet_neighbours() {
  for (End* end : ends_)
    if (&static_cast<NativeActor*>(end->other->actor)->worker() == &worker()) end->apart = end->other->apart = false;
}

void NativeActor::part_from_neighbours() {
  for (End* end : ends_)
    if (!end->apart) end->apart = end->other->apart = true;
}

void NativeActor::goes_on() {
  const int interval = worker().run().interval();
  counts_ = interval != 0;  // the interval may just have ended
  if (!counts_) return;
  went_on_ = std::chrono::steady_clock::now();
  if (interval_.load(std::memory_order_relaxed) == interval) return;
  worked_ns_.store(0, std::memory_order_relaxed);
  for (End* end : ends_) {
    end->first_told = end->ring->moved(*end);
    end->told.store(0, std::memory_order_relaxed);
  }
  interval_.store(interval, std::memory_order_release);
}

void NativeActor::rests() {
  if (!std::exchange(counts_, false)) return;
  const std::chrono::nanoseconds since = std::chrono::steady_clock::now() - went_on_;
  worked_ns_.store(worked_ns_.load(std::memory_order_relaxed) + since.count(), std::memory_order_relaxed);
  for (End* end : ends_) end->told.store(end->ring->moved(*end) - end->first_told, std::memory_order_relaxed);
}

double NativeActor::moved(const End& end, int interval) const {
  if (interval_.load(std::memory_order_acquire) != interval) return 0;
  return static_cast<double>(end.told.load(std::memory_order_relaxed));
}

double NativeActor::worked(int interval) const {
  if (interval_.load(std::memory_order_acquire) != interval) return 0;
  return static_cast<double>(worked_ns_.load(std::memory_order_relaxed)) / 1e9;
}

void NativeActor::finish() {
  publish_held();
  wait_ = Wait::finished;
  for (End* end : ends_) {
    (end->writes ? end->ring->closed : end->ring->abandoned).store(true, std::memory_order_release);
    end->publish(end->published.load(std::memory_order_relaxed));  // notifies the watcher, if there is one
  }
  worker().run().one_finished(*this);
}

void NativeActor::fail_with(std::exception_ptr why) {
  wait_ = Wait::finished;
  worker().run().stop_failed(actor_.name, std::move(why));
}

}  // namespace isthmus::native
