#include "isthmus/base/units.hpp"

#include <gtest/gtest.h>

#include "isthmus/base/error.hpp"

namespace isthmus {
namespace {

TEST(Time, PassingItsEndIsAnErrorAndNotANegativeTime) {
  EXPECT_EQ(Time::max() - Time::fs(1) + Time::fs(1), Time::max());
  EXPECT_THROW(Time::max() + Time::fs(1), Error);
  EXPECT_THROW(Time::fs(-1) - Time::max() + Time::fs(-2), Error);
  EXPECT_THROW(Time::seconds(9300), Error);
  EXPECT_THROW(Time::seconds(std::numeric_limits<double>::quiet_NaN()), Error);
}

TEST(Time, IsReadInAUnitAPersonWouldChoose) {
  EXPECT_EQ(to_string(Time::ns(1250)), "1.25 us");
  EXPECT_EQ(to_string(Time::ns(340)), "340 ns");
  EXPECT_EQ(to_string(Time()), "0 s");
  EXPECT_EQ(to_string(Time::ms(-2)), "-2 ms");
}

TEST(TransferTime, IsBytesOverRateRoundedUp) {
  EXPECT_EQ(transfer_time(Bytes{8}, Bandwidth::gb_per_second(8)), Time::ns(1));
  EXPECT_EQ(transfer_time(Bytes{0}, Bandwidth::gb_per_second(8)), Time());
  EXPECT_THROW(transfer_time(Bytes{8}, Bandwidth{0}), Error);
}

}  // namespace
}  // namespace isthmus
