#include "hpcc/values.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace isthmus::hpcc {
namespace {

TEST(Half, EveryBitPatternThatIsANumberComesBack) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const double value = from_half(static_cast<std::uint16_t>(bits));
    if (std::isnan(value)) continue;
    EXPECT_EQ(to_half(value), bits);
  }
}

TEST(Half, ValuesBetweenTwoAreRoundedToTheNearestAndTiesToEven) {
  for (std::uint32_t bits = 0; bits < 0x7bff; ++bits) {
    const double below = from_half(static_cast<std::uint16_t>(bits));
    const double above = from_half(static_cast<std::uint16_t>(bits + 1));
    EXPECT_EQ(to_half(below + 0.25 * (above - below)), bits);
    EXPECT_EQ(to_half(below + 0.75 * (above - below)), bits + 1);
    EXPECT_EQ(to_half(0.5 * (below + above)), bits + bits % 2);
  }
}

TEST(Half, WhatIsTooLargeIsInfinite) {
  EXPECT_EQ(from_half(to_half(65519)), 65504);
  EXPECT_TRUE(std::isinf(from_half(to_half(65520))));
  EXPECT_TRUE(std::isinf(from_half(to_half(-1e300))));
  EXPECT_TRUE(std::isnan(from_half(to_half(std::numeric_limits<double>::quiet_NaN()))));
}

TEST(Values, AreFilledAndComparedWithAFewValuesAgainAndAgain) {
  const std::array pattern{1.0, 2.0, 3.0};
  for (const char* type : {"float", "double", "half"})
    for (const std::size_t count : {2U, 3U, 1000U}) {
      Values values(type, count, 0);
      values.fill(pattern);
      for (std::size_t index = 0; index < count; ++index) EXPECT_EQ(values.at(index), pattern.at(index % 3)) << index;
      EXPECT_EQ(values.largest_relative_error(pattern), 0) << type;
      values.set(count - 1, 2 * pattern.at((count - 1) % 3));
      EXPECT_EQ(values.largest_relative_error(pattern), 1) << type;
    }
}

TEST(Values, OneWrongElementIsTheLargestError) {
  const std::array two{2.0};
  for (const char* type : {"float", "double", "half"}) {
    Values values(type, 1000, 2.0);
    EXPECT_EQ(values.largest_relative_error(two), 0) << type;
    values.set(999, 2.5);
    EXPECT_EQ(values.largest_relative_error(two), 0.25) << type;
    values.set(3, std::numeric_limits<double>::quiet_NaN());
    EXPECT_TRUE(std::isinf(values.largest_relative_error(two))) << type;
  }
}

}  // namespace
}  // namespace isthmus::hpcc
