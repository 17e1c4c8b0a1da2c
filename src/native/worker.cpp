#include "native/worker.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isthmus/base/error.hpp"
#include "native/barrier.hpp"
#include "native/native_actor.hpp"
#include "native/run.hpp"

namespace isthmus::native {
namespace {

/// Looks without success before a worker sleeps. They take some 100 us, several times as long as to wake it.
constexpr int kSpins = 4000;
constexpr int kSpinsWhenCrowded = 4;

/// How many actors in a row may run out of their turn.
constexpr int kFavours = 64;

/// Turns of other actors for which an actor waits for its lead, if its step may do without.
constexpr unsigned kPatience = 256;

}  // namespace

Worker::Worker(Run& run, std::size_t stack_bytes)
    : run_(run), stack_bytes_(stack_bytes), sleeper_(std::make_unique<Sleeper>(run)) {}
Worker::~Worker() = default;

void Worker::work() {
  order_actors();
  turn_ = actors_.empty() ? 0 : actors_.size() - 1;  // the first actor is next
  fibers_ = std::make_unique<engine::Fibers>(&Worker::dispatch, &Worker::after_overflow, this, stack_bytes_);
  {
    const engine::OverflowWatch watch(*fibers_);
    next_ = pick(nullptr);
    if (next_ != nullptr) fibers_->switch_to(fibers_->spare());
  }
  fibers_.reset();
  sleeper_->leave();
}

inline void Worker::goes_on(NativeActor& actor) {
  if (run_.interval() != 0) [[unlikely]]
    actor.goes_on();
}

inline void Worker::rests(NativeActor& actor) {
  if (!actor.counts()) [[likely]]
    return;
  actor.rests();
  turns_.store(turns() + 1, std::memory_order_relaxed);
}

void Worker::dispatch(void* worker) {
  auto& self = *static_cast<Worker*>(worker);
  for (;;) {
    NativeActor* actor = self.next_;
    if (actor == nullptr || actor->fiber != nullptr) {
      self.fibers_->keep_spare();
      self.fibers_->switch_to(actor == nullptr ? self.fibers_->main() : *actor->fiber);
      continue;
    }
    self.running_ = actor;
    self.goes_on(*actor);
    actor->run();
    self.rests(*actor);
    if (actor->leaves_for() != nullptr) self.called_.store(true, std::memory_order_relaxed);
    self.next_ = self.pick(actor);
  }
}

void Worker::suspend(NativeActor& actor) {
  rests(actor);
  NativeActor* next = pick(&actor);
  if (next != &actor && !run_.stopping()) {
    actor.fiber = &fibers_->current();
    next_ = next;
    fibers_->switch_to(next->fiber != nullptr ? *next->fiber : fibers_->spare());
    actor.fiber = nullptr;
    running_ = &actor;
  }
  goes_on(actor);
}

void Worker::call() {
  called_.store(true, std::memory_order_release);
  wake();
}

void Worker::take(NativeActor& actor) {
  {
    const std::lock_guard lock(door_);
    arrived_.push_back(&actor);
  }
  call();
}

/// Lets the actors go that are to leave and are at their step boundary; the others go when they come to theirs.
void Worker::exchange_actors() {
  called_.store(false, std::memory_order_relaxed);
  {
    const std::lock_guard lock(door_);
    actors_.insert(actors_.end(), arrived_.begin(), arrived_.end());
    for (NativeActor* actor : arrived_) actor->meet_neighbours();
    arrived_.clear();
  }
  std::erase_if(actors_, [this](NativeActor* actor) {
    Worker* target = actor->leaves_for();
    if (target == nullptr) return false;
    if (target != this) actor->part_from_neighbours();
    actor->belong_to(*target);  // first, because this worker may sleep before the other has found it
    if (target == this) return false;
    target->take(*actor);
    return true;
  });
  order_actors();
}

/// The actor to run now that `after` (if any) cannot go on; null if none ever will.
NativeActor* Worker::pick(NativeActor* after) {
  for (;;) {
    if (run_.stopping()) return next_to_unwind();
    if (called_.load(std::memory_order_acquire)) {
      exchange_actors();
      after = nullptr;  // it may be on another worker now
    }
    if (NativeActor* actor = next_ready(after)) {
      idle_rounds_ = 0;
      return actor;
    }
    if (!run_.moves_actors && std::ranges::all_of(actors_, &NativeActor::finished)) return nullptr;
    idle();
  }
}

/// The next actor along the channels: it finds what the last one has just pushed, so that a chain moves by whole
/// channels. If that cannot run, the actor for which the last one waits, while the tokens of both are in the cache. But
/// two actors that serve each other for ever must not keep the rest waiting.
NativeActor* Worker::next_ready(const NativeActor* after) {
  if (actors_.empty()) return nullptr;
  if (++picks_ % kPatience == 0)
    if (NativeActor* actor = insistent()) return actor;
  NativeActor* next = after_turn();
  if (next->ready()) return next;
  if (after != nullptr && after->waits_on() != nullptr && ++favours_ < kFavours) {
    auto* asked = static_cast<NativeActor*>(after->waits_on()->other->actor);
    if (&asked->worker() == this && asked->ready()) {
      turn_ = asked->place;
      return asked;
    }
  }
  favours_ = 0;
  for (std::size_t i = 1; i < actors_.size(); ++i)
    if (next = after_turn(); next->ready()) return next;
  return insistent();
}

/// Chooses in turn an actor that waits for its lead, and lets it step, because its step may do without.
NativeActor* Worker::insistent() {
  for (std::size_t i = 0; i < actors_.size(); ++i) {
    insisted_ = insisted_ + 1 < actors_.size() ? insisted_ + 1 : 0;
    NativeActor* actor = actors_[insisted_];
    if (actor->wait() != Wait::lead) continue;
    turn_ = insisted_;
    actor->insist();
    return actor;
  }
  return nullptr;
}

NativeActor* Worker::after_turn() {
  turn_ = turn_ + 1 < actors_.size() ? turn_ + 1 : 0;
  return actors_[turn_];
}

/// Sorts the actors in the order of the channels.
void Worker::order_actors() {
  std::ranges::sort(actors_, {}, &NativeActor::rank);
  for (std::size_t i = 0; i < actors_.size(); ++i) actors_[i]->place = i;
  turn_ = 0;
}

NativeActor* Worker::next_to_unwind() const {
  const auto found = std::ranges::find_if(actors_, [](const NativeActor* actor) { return actor->fiber != nullptr; });
  return found == actors_.end() ? nullptr : *found;
}

bool Worker::any_ready() const {
  return std::ranges::any_of(actors_, &NativeActor::ready);
}

void Worker::idle() {
  turns_.store(turns() + 1, std::memory_order_relaxed);
  if (++idle_rounds_ < (run_.crowded() ? kSpinsWhenCrowded : kSpins)) return relax();
  idle_rounds_ = 0;
  sleep();
}

/// Sleeps until an actor is ready. From before the last look on, the moves of other workers' actors must wake this one.
void Worker::sleep() {
  busy_.store(false, std::memory_order_relaxed);
  watch(true);
  barrier_on_all_cores();
  if (!any_ready() && !called_.load(std::memory_order_acquire) && !run_.stopping()) {
    Time until = Time::max();
    for (const NativeActor* actor : actors_)
      if (actor->wait() == Wait::time) until = std::min(until, actor->until());
    sleeper_->sleep(until);
  }
  watch(false);
  busy_.store(true, std::memory_order_relaxed);
}

void Worker::watch(bool on) {
  for (const NativeActor* actor : actors_) {
    if (actor->finished()) continue;
    for (const End* end : actor->ends())
      if (&static_cast<NativeActor*>(end->other->actor)->worker() != this)
        end->other->watched.store(on, std::memory_order_relaxed);
  }
}

void Worker::wake() {
  busy_.store(true, std::memory_order_relaxed);  // it has something to do, however late it begins with it
  sleeper_->wake();
}

void Worker::end_sleep() {
  sleeper_->end();
}

/// Goes on, on a fresh stack, after the running actor has run over the guard page of its own.
void Worker::after_overflow(void* worker) {
  auto& self = *static_cast<Worker*>(worker);
  const auto why =
      Error(fmt::format("stack overflow: a step used more than the {} KiB it may", self.fibers_->stack_bytes() / 1024));
  self.running_->fail_with(std::make_exception_ptr(why));
  self.next_ = self.pick(self.running_);
  dispatch(worker);
}

}  // namespace isthmus::native
