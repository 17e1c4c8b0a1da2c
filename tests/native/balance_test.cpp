// The placement of actors that is computed from their work.
#include "native/balance.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace isthmus::native {
namespace {

std::vector<int> in_order(std::size_t actors) {
  std::vector<int> order(actors);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// A chain whose channels all cost `crossing`.
Load chain(const std::vector<double>& work, double crossing) {
  Load load{.work = work, .links = {}};
  for (int i = 0; i + 1 < static_cast<int>(work.size()); ++i)
    load.links.push_back({.writer = i, .reader = i + 1, .crossing = crossing});
  return load;
}

TEST(NativeBalance, KeepsActorsTogetherThatDoLessForATokenThanACrossingCosts) {
  const std::vector<int> free(4, -1);
  EXPECT_EQ(balance(chain({1, 1, 1, 1}, 10), in_order(4), free, 4), std::vector<int>(4, 0));
  EXPECT_EQ(balance(chain({1, 1, 1, 1}, 0.1), in_order(4), free, 2), (std::vector<int>{0, 0, 1, 1}));
}

TEST(NativeBalance, CutsByWorkAndNotByCount) {
  const auto placed = balance(chain({1, 1, 1, 9}, 0.1), in_order(4), std::vector<int>(4, -1), 2);
  EXPECT_EQ(placed, (std::vector<int>{0, 0, 0, 1}));
}

TEST(NativeBalance, LeavesAnActorWhereItIsFixed) {
  const auto placed = balance(chain({1, 1, 1, 1}, 10), in_order(4), {-1, 1, -1, 0}, 2);
  EXPECT_EQ(placed[1], 1);
  EXPECT_EQ(placed[3], 0);
}

/// The least makespan of all placements.
double least_of_all(const Load& load, const std::vector<int>& fixed, int workers) {
  std::vector<int> worker_of(load.work.size(), 0);
  double least = std::accumulate(load.work.begin(), load.work.end(), 0.) * 10 + 1e6;
  for (;;) {
    bool allowed = true;
    for (std::size_t i = 0; i < fixed.size(); ++i) allowed = allowed && (fixed[i] < 0 || fixed[i] == worker_of[i]);
    if (allowed) least = std::min(least, makespan(load, worker_of, workers));
    std::size_t digit = 0;
    while (digit < worker_of.size() && ++worker_of[digit] == workers) worker_of[digit++] = 0;
    if (digit == worker_of.size()) return least;
  }
}

RC_GTEST_PROP(NativeBalance, IsNeverWorseThanOneWorkerAndSeldomFarFromTheBest, ()) {
  const auto actors = *rc::gen::inRange<std::size_t>(1, 6);
  const int workers = *rc::gen::inRange(1, 4);
  std::vector<double> work(actors);
  for (auto& seconds : work) seconds = *rc::gen::inRange(0, 100);
  const Load load = chain(work, *rc::gen::inRange(0, 60));
  const std::vector<int> free(actors, -1);
  const auto placed = balance(load, in_order(actors), free, workers);
  RC_ASSERT(std::ranges::all_of(placed, [&](int worker) { return worker >= 0 && worker < workers; }));
  const double got = makespan(load, placed, workers);
  RC_ASSERT(got <= makespan(load, std::vector<int>(actors, 0), workers));
  RC_ASSERT(got >= least_of_all(load, free, workers));
  RC_CLASSIFY(got > 1.25 * least_of_all(load, free, workers), "a quarter over the best");
}

}  // namespace
}  // namespace isthmus::native
