#include "isthmus/probes/copy.hpp"

#include <gmock/gmock.h>

#include "isthmus/base/error.hpp"
#include "isthmus/offload/open.hpp"
#include "probes/found.hpp"

namespace isthmus::probes {
namespace {

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = kKiB * kKiB;

using Overrides = std::vector<std::string>;

double seconds(const std::string& target, Direction direction, HostSide side, std::int64_t size,
               const Overrides& overrides = {}) {
  const auto device = offload::open_device(target, overrides);
  return sample(*copies(*device, direction, side, {size}), 1).front().seconds();
}
double rate(const std::string& target, Direction direction, HostSide side, std::int64_t size,
            const Overrides& overrides = {}) {
  return static_cast<double>(size) / seconds(target, direction, side, size, overrides);
}

class CopiesOnModels : public testing::TestWithParam<const char*> {};

TEST_P(CopiesOnModels, TheRateNeverFallsWithTheSize) {
  for (const Direction direction : {Direction::to_device, Direction::to_host}) {
    double before = 0;
    for (std::int64_t size = 64; size <= 2 * kMiB; size *= 2) {
      const double now = rate(GetParam(), direction, HostSide::pageable, size);
      EXPECT_GT(now, before) << size << " bytes";
      before = now;
    }
  }
}

TEST_P(CopiesOnModels, MoreBytesNeverTakeLessTime) {
  double before = 0;
  for (std::int64_t size = 1; size <= 20 * kKiB; size += 977) {
    const double now = seconds(GetParam(), Direction::to_device, HostSide::pageable, size);
    EXPECT_GE(now, before) << size << " bytes";
    before = now;
  }
}

TEST_P(CopiesOnModels, SamplesDifferByARefreshAtMost) {
  for (const HostSide side : {HostSide::pinned, HostSide::pageable, HostSide::fresh}) {
    const auto device = offload::open_device(GetParam(), {});
    const auto times = sample(*copies(*device, Direction::to_device, side, {64 * kKiB}), 5);
    for (const Time time : times) EXPECT_NEAR(time.seconds(), times.front().seconds(), 1e-6);
  }
}

TEST_P(CopiesOnModels, WhatTheHostDoesBesidesNeverSpeedsACopyUp) {
  for (const Direction direction : {Direction::to_device, Direction::to_host}) {
    const double pinned = seconds(GetParam(), direction, HostSide::pinned, kMiB);
    const double pageable = seconds(GetParam(), direction, HostSide::pageable, kMiB);
    EXPECT_GT(pageable, pinned);
    EXPECT_GT(seconds(GetParam(), direction, HostSide::fresh, kMiB), pageable);
  }
}

// What the host's part adds is size over its rate, whatever the rest does.
TEST_P(CopiesOnModels, ThePriceOfPageableMemoryIsTheCopyAlone) {
  const Overrides slow{"host.copy.rate=2"};
  const double extra = seconds(GetParam(), Direction::to_device, HostSide::pageable, kMiB, slow) -
                       seconds(GetParam(), Direction::to_device, HostSide::pinned, kMiB, slow);
  EXPECT_NEAR(extra, kMiB / 2e9, 1e-6);
}

TEST_P(CopiesOnModels, BothDirectionsAtOnceTakeLongerThanOneAndLessThanBothInTurn) {
  const auto device = offload::open_device(GetParam(), {});
  const double both = sample(*duplex_copies(*device, {kMiB}), 1).front().seconds();
  const double there = seconds(GetParam(), Direction::to_device, HostSide::pinned, kMiB);
  const double back = seconds(GetParam(), Direction::to_host, HostSide::pinned, kMiB);
  EXPECT_GT(both, std::max(there, back));
  EXPECT_LT(both, there + back);
}

INSTANTIATE_TEST_SUITE_P(Boards, CopiesOnModels, testing::Values("model:aws-f1", "model:alpha-data-7v3"));

// choi2019 fig. 5, each step by itself.
TEST(AlphaData, TheStepsOfACopyAddUpAsPublished) {
  constexpr std::int64_t kLarge = 16 * kMiB;
  const std::string board = "model:alpha-data-7v3";
  for (const Direction direction : {Direction::to_device, Direction::to_host}) {
    EXPECT_NEAR(rate(board, direction, HostSide::fresh, kLarge) * 1e-9, 1.6, 0.15 * 1.6);
    EXPECT_NEAR(rate(board, direction, HostSide::pageable, kLarge) * 1e-9, 2.7, 0.15 * 2.7);
    EXPECT_NEAR(rate(board, direction, HostSide::pinned, kLarge) * 1e-9, 5.2, 0.15 * 5.2);
    EXPECT_NEAR(rate(board, direction, HostSide::pinned, kLarge, {"dma.rate=100"}) * 1e-9, 6.8, 0.15 * 6.8);
  }
  const auto link = offload::open_device(board, {})->properties().link;
  ASSERT_TRUE(link.has_value());
  EXPECT_DOUBLE_EQ(link->advertised.gb_per_second(), 8);
  EXPECT_NEAR(link->payload.gb_per_second(), 6.8, 0.05 * 6.8);
}

// choi2019 5.3.
TEST(AmazonF1, AnEndToEndCopyReachesThePublishedRate) {
  EXPECT_NEAR(rate("model:aws-f1", Direction::to_device, HostSide::fresh, 16 * kMiB) * 1e-9, 2.59, 0.15 * 2.59);
}

// choi2019 table 5.
TEST(Latency, OfOneCacheLineIsAsPublished) {
  EXPECT_NEAR(seconds("model:aws-f1", Direction::to_device, HostSide::pageable, 64), 127e-6, 0.15 * 127e-6);
  EXPECT_NEAR(seconds("model:alpha-data-7v3", Direction::to_device, HostSide::pageable, 64), 160e-6, 0.15 * 160e-6);
}

TEST(RealDevice, CopiesComeBackUnchangedAndTakeTime) {
  const auto device = offload::open_device("opencl:0", {});
  for (const Direction direction : {Direction::to_device, Direction::to_host})
    for (const HostSide side : {HostSide::pinned, HostSide::pageable, HostSide::fresh})
      for (const Time time : sample(*copies(*device, direction, side, {kMiB}), 3)) EXPECT_GT(time, Time{});
  for (const Time time : sample(*duplex_copies(*device, {kMiB}), 3)) EXPECT_GT(time, Time{});
}

TEST(RealDevice, ThatHasNoRoomSaysSoInOneLine) {
  const auto device = offload::open_device("opencl:0", {});
  for (const HostSide side : {HostSide::pinned, HostSide::pageable})
    EXPECT_THAT([&] { sample(*copies(*device, Direction::to_device, side, {std::int64_t{1} << 45}), 1); },
                testing::Throws<std::exception>());
  EXPECT_THAT([&] { device->buffer(std::size_t{1} << 45U); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("has no room for a buffer of 35184372088832 bytes")));
  EXPECT_THAT([&] { device->pinned(std::size_t{1} << 45U); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("has no room for a pinned buffer")));
}

/// Seconds in which the host works on a copy.
double working(const char* probe, std::int64_t size, int samples = 1) {
  const Job job{.target = "model:alpha-data-7v3", .sizes = {{size}}, .samples = samples};
  const Finding found = found_by(probe, job).front();
  return found.host_busy.value_or(-1) * found.times.front().seconds();
}

TEST(Copies, KeepTheHostAtWorkForAsLongAsItCopiesAndAllocates) {
  constexpr std::int64_t kLarge = 16 * kMiB;
  const double pinned = working("h2d-pinned", kLarge);
  const double pageable = working("h2d", kLarge);
  const double fresh = working("h2d-alloc", kLarge);
  EXPECT_LT(pinned, 200e-6) << "a call, however large it is";
  EXPECT_NEAR(pageable - pinned, kLarge / 5.62e9, 0.01 * pageable) << "host.copy.rate";
  EXPECT_NEAR(fresh - pageable, kLarge / 3.93e9, 0.01 * fresh) << "host.alloc.rate";
}

TEST(Copies, SayWhatTheHostDidOfOneSampleAlone) {
  EXPECT_LT(working("h2d", kMiB, 2), 0);
}

}  // namespace
}  // namespace isthmus::probes
