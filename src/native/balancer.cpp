#include "native/balancer.hpp"

#include <algorithm>
#include <cstddef>

#include "native/worker.hpp"

namespace isthmus::native {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr nanoseconds kFirst = 200us;  // from the start to the first observation
constexpr nanoseconds kLongest = 1s;   // between two observations, if nothing was found for some time
constexpr nanoseconds kObserved = 400us;
constexpr nanoseconds kMostObserved = 1s;
constexpr nanoseconds kSettling = 200us;  // time after a move before its effect is looked at

/// Turns of a worker that make an observation.
constexpr int kTurns = 16;

/// The gain that a move must have: by the estimate, and after it was tried.
constexpr double kExpected = 1.15;
constexpr double kGained = 1.05;

/// The number of looks at a move's effect before it is taken back: the first look finds caches cold.
constexpr int kLooks = 2;

/// The bounds of the time of a round trip between cores: the least seen on one processor, and the time that some take
/// across sockets.
constexpr nanoseconds kLeastTrip = 100ns;
constexpr nanoseconds kGreatestTrip = 10us;

/// The round trips that a crossing costs each end: for the looks, for each token in a channel of depth 1, and for each
/// line of its bytes. They are fitted to pairs on near and far cores (benchmarks/README.md).
constexpr double kTripsPerRound = 3;
constexpr double kTripsPerLine = 0.1;
constexpr double kLine = 64;

double seconds(nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

void Balancer::add(NativeActor& actor) {
  actors_.push_back(&actor);
  const auto found = std::ranges::find(workers_, &actor.worker());
  worker_of_.push_back(static_cast<int>(found - workers_.begin()));
}

void Balancer::work() {
  round_trip_ = kLeastTrip;
  for (nanoseconds pause = kFirst; !run_.wait_stopped(pause); pause = std::min(pause * 2, kLongest)) {
    Observation seen;
    if (observe(seen) && try_better(seen)) pause = kFirst;
    round_trip_ = std::max(round_trip_ * 9 / 10, kLeastTrip);
  }
}

/// Lets the actors count until enough is known; returns false if that takes too long.
bool Balancer::observe(Observation& seen) {
  std::vector<int> turns;
  turns.reserve(workers_.size());
  for (const Worker* worker : workers_) turns.push_back(worker->turns());
  const auto began = steady_clock::now();
  run_.observe(++interval_);
  bool enough = false;
  bool stopped = false;
  while (!enough && !stopped && steady_clock::now() - began < kMostObserved) {
    stopped = run_.wait_stopped(kObserved);
    enough = told_enough(turns);
  }
  run_.observe(0);
  seen.load = load();
  double tokens = 0;
  for (const Ring* ring : rings_) tokens += pushed(*ring);
  seen.tokens_per_s = tokens / seconds(steady_clock::now() - began);
  return enough && !stopped && tokens > 0;
}

bool Balancer::told_enough(const std::vector<int>& turns_before) const {
  for (std::size_t i = 0; i < workers_.size(); ++i)
    if (workers_[i]->busy() && workers_[i]->turns() - turns_before[i] < kTurns) return false;
  return true;
}

double Balancer::pushed(const Ring& ring) const {
  return static_cast<const NativeActor*>(ring.writer.actor)->moved(ring.writer, interval_);
}

Load Balancer::load() const {
  Load load;
  for (const NativeActor* actor : actors_) load.work.push_back(actor->worked(interval_));
  for (const Ring* ring : rings_) {
    const double trips = kTripsPerRound / static_cast<double>(ring->channel.depth) +
                         kTripsPerLine * static_cast<double>(ring->stride()) / kLine;
    load.links.push_back({.writer = ring->channel.writer->index,
                          .reader = ring->channel.reader->index,
                          .crossing = pushed(*ring) * trips * seconds(round_trip_)});
  }
  for (const auto& link : load.links) {
    if (worker_of_[at(link.writer)] == worker_of_[at(link.reader)]) continue;
    for (const int end : {link.writer, link.reader})
      load.work[at(end)] = std::max(load.work[at(end)] - link.crossing, 0.);
  }
  return load;
}

/// Moves the actors and checks whether the run got faster; if not, moves them back.
bool Balancer::try_better(const Observation& seen) {
  const auto better = balance(seen.load, order_, fixed_, workers());
  if (makespan(seen.load, better, workers()) * kExpected > makespan(seen.load, worker_of_, workers())) return false;
  const auto before = worker_of_;
  send(better);
  if (!settled()) return true;
  for (int look = 0; look < kLooks; ++look) {
    Observation after;
    if (!observe(after) || after.tokens_per_s > seen.tokens_per_s * kGained) return true;
  }
  send(before);
  round_trip_ = std::min(round_trip_ * 2, kGreatestTrip);
  return false;
}

/// Waits until every actor is on the worker to which it was sent; returns false if that takes too long, or the run has
/// stopped.
bool Balancer::settled() {
  const auto stands = [this](std::size_t i) { return &actors_[i]->worker() == workers_[at(worker_of_[i])]; };
  for (const auto began = steady_clock::now(); steady_clock::now() - began < kMostObserved;) {
    if (run_.wait_stopped(kSettling)) return false;
    bool all = true;
    for (std::size_t i = 0; i < actors_.size(); ++i) all = all && stands(i);
    if (all) return true;
  }
  return false;
}

void Balancer::send(const std::vector<int>& worker_of) {
  for (std::size_t i = 0; i < actors_.size(); ++i)
    if (worker_of[i] != worker_of_[i]) actors_[i]->send_to(*workers_[at(worker_of[i])]);
  for (Worker* worker : workers_) worker->call();
  worker_of_ = worker_of;
}

}  // namespace isthmus::native
