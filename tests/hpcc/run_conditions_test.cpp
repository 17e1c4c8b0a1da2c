#include "hpcc/run_conditions.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/refusal.hpp"

namespace isthmus::hpcc {
namespace {

constexpr double kGibi = 0x1p30;

RunConditions processor(double cache, double memory, int sharers = 1) {
  RunConditions conditions{.device = {}, .sharers = sharers};
  conditions.device.type = "cpu";
  conditions.device.cache = static_cast<std::int64_t>(cache);
  conditions.device.global_memory = static_cast<std::int64_t>(memory);
  return conditions;
}

TEST(StandardSizes, GrowUntilTheyAreFourTimesTheCachesAndNoFurther) {
  for (const double cache : {0.03, 0.1, 0.25, 0.3, 1.1, 3.0})
    for (const int factor : {2, 4}) {
      const double grown = std::pow(factor, growth_of(processor(cache * kGibi, 1024 * kGibi), kGibi, factor));
      EXPECT_GE(grown, 4 * cache);
      EXPECT_TRUE(grown == 1 || grown / factor < 4 * cache) << cache;
    }
}

TEST(StandardSizes, GrowOnlyWhileAnEighthOfARanksMemoryHasRoom) {
  EXPECT_EQ(growth_of(processor(kGibi, 8 * kGibi), kGibi), 0);
  EXPECT_EQ(growth_of(processor(kGibi, 16 * kGibi), kGibi), 1);
  EXPECT_EQ(growth_of(processor(kGibi, 64 * kGibi, 2), kGibi), 2);
  EXPECT_EQ(growth_of(processor(kGibi, 64 * kGibi, 4), kGibi), 1);
}

TEST(Overrides, WordsThatAreNoneOfThoseThatMayBeGetTheNearest) {
  const auto refused = [](const Request& request) {
    return refusal([&] { conditions_of(request, processor(kGibi, kGibi).device, 1); });
  };
  EXPECT_EQ(refused({.benchmark = "stream", .size = "standrad"}),
            "--size: unknown size 'standrad': expected small or standard; did you mean 'standard'?");
  EXPECT_EQ(refused({.benchmark = "stream", .variant = "other"}),
            "--variant: unknown variant 'other': expected single or ndrange");
  EXPECT_EQ(refused({.benchmark = "stream", .shape = "cpu"}), "");
}

TEST(StandardSizes, StayWhereTheCachesAreNotKnown) {
  EXPECT_EQ(growth_of(processor(0, 64 * kGibi), 1), 0);
}

}  // namespace
}  // namespace isthmus::hpcc
