#include "isthmus/base/moment.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "isthmus/base/error.hpp"

namespace isthmus {
namespace {

constexpr std::int64_t kYearsOfNanoseconds = std::int64_t{1} << 61U;

RC_GTEST_PROP(Moment, KeepsEachFemtosecondHoweverLongItsClockHasRun, ()) {
  const Moment begin = Moment::ns(*rc::gen::inRange<std::int64_t>(-kYearsOfNanoseconds, kYearsOfNanoseconds)) +
                       Time::fs(*rc::gen::inRange<std::int64_t>(0, 1'000'000));
  const Time later = Time::fs(*rc::gen::inRange<std::int64_t>(-kYearsOfNanoseconds, kYearsOfNanoseconds));
  RC_ASSERT((begin + later) - begin == later);
  RC_ASSERT((begin + later < begin) == (later < Time()));
  RC_ASSERT(begin + later + (Time() - later) == begin);
}

TEST(Moment, CountsFromTheBeginningOfItsClock) {
  const Moment moment(Time::ns(1250) + Time::fs(7));
  EXPECT_EQ(moment.nanoseconds(), 1250);
  EXPECT_DOUBLE_EQ(moment.seconds(), 1250.000007e-9);
  EXPECT_EQ(Moment(Time::fs(-1)) + Time::fs(1), Moment());
}

TEST(Moment, MoreThanATimeHoldsBetweenTwoIsAnError) {
  EXPECT_THROW(Moment::ns(10'000'000'000'000) - Moment(), Error);
}

}  // namespace
}  // namespace isthmus
