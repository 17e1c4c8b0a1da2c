#include "isthmus/probes/sizes.hpp"

#include <gmock/gmock.h>

#include "isthmus/base/error.hpp"

namespace isthmus::probes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::int64_t kKiB = 1024;

TEST(Sizes, AListIsTakenInItsOrderEachOnce) {
  EXPECT_THAT(parse_sizes("1MiB,64B,4KiB,64B"), ElementsAre(Bytes{kKiB * kKiB}, Bytes{64}, Bytes{4 * kKiB}));
}

TEST(Sizes, ARangeDoublesUnlessItSaysHowItGoesOn) {
  EXPECT_THAT(parse_sizes("4KiB..16KiB"), ElementsAre(Bytes{4 * kKiB}, Bytes{8 * kKiB}, Bytes{16 * kKiB}));
  EXPECT_THAT(parse_sizes("1KiB..20KiB:x4"), ElementsAre(Bytes{kKiB}, Bytes{4 * kKiB}, Bytes{16 * kKiB}));
  EXPECT_THAT(parse_sizes("64B..192B:+64B"), ElementsAre(Bytes{64}, Bytes{128}, Bytes{192}));
}

TEST(Sizes, WhatIsNoSizeIsRefusedWithAnExample) {
  for (const char* text : {"", "4", "KiB", "4kB", "0B", "-1B", "4KiB,", "8KiB..4KiB", "4KiB..8KiB:x1", "4KiB..8KiB:y2",
                           "4KiB..", "..8KiB", "4KiB:x2..8KiB", "1e3B", "99999999999999999999B", "9999999GiB"})
    EXPECT_THAT([text] { parse_sizes(text); }, ThrowsMessage<Error>(HasSubstr("64B,4KiB"))) << text;
}

TEST(Sizes, ThereIsAnEndToThem) {
  EXPECT_THAT([] { parse_sizes("1B..1GiB:+1B"); }, ThrowsMessage<Error>(HasSubstr("up to 1000")));
}

}  // namespace
}  // namespace isthmus::probes
