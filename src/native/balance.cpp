#include "native/balance.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace isthmus::native {
namespace {

constexpr int kRounds = 8;  // rounds over all channels

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

/// Cuts the free actors into `pieces` regions of about equal work.
std::vector<int> cut(const Load& load, const std::vector<int>& order, const std::vector<int>& fixed, int pieces) {
  std::vector<int> worker_of = fixed;
  double all = 0;
  for (const int actor : order)
    if (fixed[at(actor)] < 0) all += load.work[at(actor)];
  double before = 0;
  for (const int actor : order) {
    if (fixed[at(actor)] >= 0) continue;
    const double middle = before + load.work[at(actor)] / 2;
    worker_of[at(actor)] = all > 0 ? std::min(static_cast<int>(middle / all * pieces), pieces - 1) : 0;
    before += load.work[at(actor)];
  }
  return worker_of;
}

/// Moves both ends of each channel that crosses, one by one, to the worker of the other end, if that helps.
void close_crossings(const Load& load, const std::vector<int>& fixed, int workers, std::vector<int>& worker_of) {
  double least = makespan(load, worker_of, workers);
  const auto try_to_join = [&](int actor, int other) {
    if (fixed[at(actor)] >= 0) return false;
    const int before = std::exchange(worker_of[at(actor)], worker_of[at(other)]);
    const double now = makespan(load, worker_of, workers);
    if (now < least) return least = now, true;
    worker_of[at(actor)] = before;
    return false;
  };
  bool helped = true;
  for (int round = 0; round < kRounds && helped; ++round) {
    helped = false;
    for (const auto& link : load.links) {
      if (worker_of[at(link.writer)] == worker_of[at(link.reader)]) continue;
      helped |= try_to_join(link.writer, link.reader) || try_to_join(link.reader, link.writer);
    }
  }
}

}  // namespace

double makespan(const Load& load, const std::vector<int>& worker_of, int workers) {
  std::vector<double> busy(at(workers));
  for (std::size_t actor = 0; actor < worker_of.size(); ++actor) busy[at(worker_of[actor])] += load.work[actor];
  for (const auto& link : load.links) {
    if (worker_of[at(link.writer)] == worker_of[at(link.reader)]) continue;
    busy[at(worker_of[at(link.writer)])] += link.crossing;
    busy[at(worker_of[at(link.reader)])] += link.crossing;
  }
  return *std::ranges::max_element(busy);
}

std::vector<int> balance(const Load& load, const std::vector<int>& order, const std::vector<int>& fixed, int workers) {
  std::vector<int> best = cut(load, order, fixed, 1);
  double least = makespan(load, best, workers);
  const int most = std::min(workers, static_cast<int>(order.size()));
  for (int pieces = 2; pieces <= most; ++pieces) {
    std::vector<int> candidate = cut(load, order, fixed, pieces);
    close_crossings(load, fixed, workers, candidate);
    const double now = makespan(load, candidate, workers);
    if (now < least) least = now, best = std::move(candidate);
  }
  return best;
}

}  // namespace isthmus::native
