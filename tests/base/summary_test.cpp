#include "isthmus/base/summary.hpp"

#include <gtest/gtest.h>

#include <random>

namespace isthmus {
namespace {

TEST(Summary, TellsTheMedianAndTheMiddleHalf) {
  const Summary summary = summarise({4, 1, 3, 2, 5});
  EXPECT_DOUBLE_EQ(summary.median, 3);
  EXPECT_DOUBLE_EQ(summary.spread, (4.0 - 2.0) / 3.0);
  EXPECT_DOUBLE_EQ(summary.least, 1);
  EXPECT_DOUBLE_EQ(summary.p5, 1.2);
  EXPECT_DOUBLE_EQ(summary.p95, 4.8);
  EXPECT_DOUBLE_EQ(summary.most, 5);
  EXPECT_DOUBLE_EQ(summarise({7}).spread, 0);
}

/// What tables of the sign test give (e.g. Hollander and Wolfe, Nonparametric Statistical Methods, table A.2): the
/// ranks of the two samples, counted from either end.
TEST(Summary, TheMediansIntervalIsThatOfTheSignTest) {
  for (const auto& [count, rank] : {std::pair{5, 0}, {6, 1}, {8, 1}, {9, 2}, {10, 2}, {15, 4}, {20, 6}, {25, 8}}) {
    std::vector<double> samples;
    for (int i = count; i > 0; --i) samples.push_back(i);
    const auto interval = median_interval(samples);
    ASSERT_EQ(interval.has_value(), rank > 0) << count;
    if (!interval) continue;
    EXPECT_EQ(*interval, (std::pair<double, double>(rank, count + 1 - rank))) << count;
  }
}

TEST(Summary, TheIntervalHoldsTheMedianInAtLeast95Of100Draws) {
  std::mt19937 random(7);
  std::lognormal_distribution<double> draw(0, 1);  // its median is 1
  constexpr int kDraws = 4000;
  int held = 0;
  for (int i = 0; i < kDraws; ++i) {
    std::vector<double> samples(12);
    for (double& sample : samples) sample = draw(random);
    const auto interval = median_interval(samples);
    held += interval->first <= 1 && 1 <= interval->second ? 1 : 0;
  }
  EXPECT_GE(held, 0.95 * kDraws);
}

}  // namespace
}  // namespace isthmus
