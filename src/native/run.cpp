#include "native/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <ranges>

#include "engine/ending.hpp"

namespace isthmus::native {
namespace {

using std::chrono::nanoseconds;

std::string fill_of(const End& end) {
  const Ring& ring = *end.ring;
  return fmt::format("{} of {} tokens", ring.moved(ring.writer) - ring.moved(ring.reader), ring.channel.depth);
}

std::string why_it_waits(const NativeActor& actor) {
  const char* what = actor.wait() == Wait::room ? "room in" : "a token of";
  if (actor.wait() != Wait::room && actor.wait() != Wait::token)
    return fmt::format("{} waits for news on its channels", actor.actor().name);
  return fmt::format("{} waits for {} '{}' ({})", actor.actor().name, what, actor.waits_on()->ring->channel.name,
                     fill_of(*actor.waits_on()));
}

const NativeActor* waits_for(const NativeActor& actor) {
  if (actor.wait() != Wait::room && actor.wait() != Wait::token) return nullptr;
  return static_cast<const NativeActor*>(actor.waits_on()->other->actor);
}

/// The shortest cycle of actors that wait for each other; empty if there is none.
std::vector<const NativeActor*> shortest_cycle(const std::vector<NativeActor*>& actors) {
  std::vector<const NativeActor*> shortest;
  std::map<const NativeActor*, const NativeActor*> met_from;  // for each actor that was met, the start of the walk
  for (const NativeActor* first : actors) {
    const NativeActor* at = first;
    while (at != nullptr && met_from.emplace(at, first).second) at = waits_for(*at);
    if (at == nullptr || met_from[at] != first) continue;
    std::vector<const NativeActor*> cycle{at};
    for (const NativeActor* next = waits_for(*at); next != at; next = waits_for(*next)) cycle.push_back(next);
    if (shortest.empty() || cycle.size() < shortest.size()) shortest = std::move(cycle);
  }
  return shortest;
}

}  // namespace

void Run::start() {
  for (const NativeActor* actor : actors_)
    if (!actor->actor().periodic) ++native_;
  awake_ = static_cast<int>(workers_.size());
  began_ = std::chrono::steady_clock::now();
}

Time Run::now() const {
  const nanoseconds since = std::chrono::steady_clock::now() - began_;
  return Time::ns(since.count());
}

void Run::one_finished(const NativeActor& actor) {
  if (actor.actor().periodic || --native_ > 0) return;
  const std::lock_guard lock(mutex_);
  stop(Outcome::finished, {});
}

void Run::stop_failed(const std::string& who, std::exception_ptr why) {
  const std::lock_guard lock(mutex_);
  if (stopping()) return;
  failure_ = std::move(why);
  try {
    std::rethrow_exception(failure_);
  } catch (const std::exception& error) {
    stop(Outcome::failed, fmt::format("{}: {}", who, error.what()));
  } catch (...) {
    stop(Outcome::failed, fmt::format("{}: an exception of an unknown type", who));
  }
}

void Run::stop_stuck(const NativeActor& actor, const End& full) {
  const std::lock_guard lock(mutex_);
  const auto* reader = static_cast<const NativeActor*>(full.other->actor);
  stop(Outcome::stuck,
       fmt::format("stuck: {} pushes into '{}' ({}), but {} has finished", actor.actor().name, full.ring->channel.name,
                   fmt::format("{} tokens deep", full.ring->channel.depth), reader->actor().name));
}

void Run::stop_silent(double seconds) {
  const std::lock_guard lock(mutex_);
  stop(Outcome::quiescent, fmt::format("no token has moved for {:.3g} s", seconds));
}

/// The caller holds the mutex.
void Run::stop(Outcome outcome, std::string message) {
  if (stopping()) return;
  elapsed_ = now();
  outcome_ = outcome;
  message_ = std::move(message);
  stop_.store(true, std::memory_order_release);
  for (Worker* worker : workers_) worker->end_sleep();
  stopped_.notify_all();
}

bool Run::wait_stopped(std::chrono::nanoseconds time) {
  std::unique_lock lock(mutex_);
  return stopped_.wait_for(lock, time, [this] { return stopping(); });
}

/// Names the actors that wait for ever. All workers sleep, so that their actors stand still; the caller holds the
/// mutex.
void Run::find_why_nothing_moves() {
  auto who = shortest_cycle(actors_);
  const bool deadlock = !who.empty();
  if (!deadlock)
    std::ranges::copy_if(actors_, std::back_inserter(who),
                         [](const NativeActor* actor) { return !actor->finished() && !actor->actor().periodic; });
  std::vector<std::string> waits;
  for (const NativeActor* actor : who | std::views::take(engine::kNamed)) waits.push_back(why_it_waits(*actor));
  stop(deadlock ? Outcome::deadlock : Outcome::quiescent,
       fmt::format("{}: {}{}", deadlock ? "deadlock" : "nothing can ever move again", fmt::join(waits, "; "),
                   engine::and_more(who.size())));
}

void Sleeper::sleep(Time until) {
  std::unique_lock lock(run_.mutex_);
  const auto over = [this] { return woken_ || run_.stopping(); };
  if (until == Time::max()) {
    fall_asleep();
    changed_.wait(lock, over);
  } else {
    const auto ns = nanoseconds(until.femtoseconds() / Time::ns(1).femtoseconds());
    changed_.wait_until(lock, run_.began_ + ns, over);
  }
  woken_ = false;
}

void Sleeper::fall_asleep() {
  if (woken_ || run_.stopping()) return;
  counted_out_ = true;
  if (--run_.awake_ == 0) run_.find_why_nothing_moves();
}

void Sleeper::wake() {
  const std::lock_guard lock(run_.mutex_);
  woken_ = true;
  if (std::exchange(counted_out_, false)) ++run_.awake_;
  changed_.notify_one();
}

void Sleeper::leave() {
  const std::lock_guard lock(run_.mutex_);
  if (!run_.stopping() && --run_.awake_ == 0) run_.find_why_nothing_moves();
}

}  // namespace isthmus::native
