#include "native/silence.hpp"

#include <chrono>
#include <utility>

namespace isthmus::native {
namespace {

/// Looks in a row at which nothing has changed.
constexpr int kLooks = 10;

}  // namespace

Silence::Silence(Run& run, double seconds, const Workers& workers, const Rings& rings)
    : run_(run), workers_(workers), rings_(rings) {
  if (seconds > 0) thread_ = std::jthread([this, seconds] { watch(seconds); });
}

void Silence::watch(double seconds) {
  const auto pause = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
  any_moved();
  anyone_at_work();
  for (int looks = 0; looks < kLooks;) {
    if (run_.wait_stopped(pause / kLooks)) return;
    const bool moved = any_moved();
    looks = anyone_at_work() || moved ? 0 : looks + 1;
  }
  run_.stop_silent(seconds);
}

/// Tells whether a worker has neither slept nor looked for something to do since the last call.
bool Silence::anyone_at_work() {
  std::vector<int> now;
  bool found = turns_.empty();
  for (const auto& worker : workers_) {
    const std::size_t at = now.size();
    now.push_back(worker->turns());
    found = found || (worker->busy() && now.back() == turns_[at]);
  }
  turns_ = std::move(now);
  return found;
}

bool Silence::any_moved() {
  std::vector<const std::byte*> now;
  for (const auto& ring : rings_)
    for (const End* end : {&ring->writer, &ring->reader}) now.push_back(end->published.load(std::memory_order_acquire));
  return std::exchange(places_, now) != now;
}

}  // namespace isthmus::native
