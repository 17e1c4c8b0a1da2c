#include "isthmus/probes/copy.hpp"

#include <gmock/gmock.h>

#include "isthmus/offload/open.hpp"

namespace isthmus::probes {
namespace {

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = kKiB * kKiB;

using Settings = std::vector<std::string>;

double seconds(const std::string& target, Direction direction, std::int64_t size, const Settings& settings = {}) {
  const auto device = offload::open_device(target, settings);
  return time_copies(*device, direction, {size}, 1).front().seconds();
}
double rate(const std::string& target, Direction direction, std::int64_t size, const Settings& settings = {}) {
  return static_cast<double>(size) / seconds(target, direction, size, settings);
}

class CopiesOnModels : public testing::TestWithParam<const char*> {};

TEST_P(CopiesOnModels, TheRateNeverFallsWithTheSize) {
  for (const Direction direction : {Direction::to_device, Direction::to_host}) {
    double before = 0;
    for (std::int64_t size = 64; size <= 2 * kMiB; size *= 2) {
      const double now = rate(GetParam(), direction, size);
      EXPECT_GT(now, before) << size << " bytes";
      before = now;
    }
  }
}

TEST_P(CopiesOnModels, MoreBytesNeverTakeLessTime) {
  double before = 0;
  for (std::int64_t size = 1; size <= 20 * kKiB; size += 977) {
    const double now = seconds(GetParam(), Direction::to_device, size);
    EXPECT_GE(now, before) << size << " bytes";
    before = now;
  }
}

TEST_P(CopiesOnModels, SamplesDifferByARefreshAtMost) {
  const auto device = offload::open_device(GetParam(), {});
  const auto times = time_copies(*device, Direction::to_device, {64 * kKiB}, 5);
  for (const Time time : times) EXPECT_NEAR(time.seconds(), times.front().seconds(), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Boards, CopiesOnModels, testing::Values("model:aws-f1", "model:alpha-data-7v3"));

// choi2019 fig. 5, each step by itself.
TEST(AlphaData, TheStepsOfACopyAddUpAsPublished) {
  constexpr std::int64_t kLarge = 16 * kMiB;
  const std::string board = "model:alpha-data-7v3";
  const Settings kept{"host.alloc.enabled=false"};
  const Settings pinned{"host.alloc.enabled=false", "host.copy.enabled=false"};
  const Settings link{pinned[0], pinned[1], "dma.rate=100"};
  for (const Direction direction : {Direction::to_device, Direction::to_host}) {
    EXPECT_NEAR(rate(board, direction, kLarge) * 1e-9, 1.6, 0.15 * 1.6);
    EXPECT_NEAR(rate(board, direction, kLarge, kept) * 1e-9, 2.7, 0.15 * 2.7);
    EXPECT_NEAR(rate(board, direction, kLarge, pinned) * 1e-9, 5.2, 0.15 * 5.2);
    EXPECT_NEAR(rate(board, direction, kLarge, link) * 1e-9, 6.8, 0.15 * 6.8);
  }
}

// choi2019 5.3.
TEST(AmazonF1, AnEndToEndCopyReachesThePublishedRate) {
  EXPECT_NEAR(rate("model:aws-f1", Direction::to_device, 16 * kMiB) * 1e-9, 2.59, 0.15 * 2.59);
}

// choi2019 table 5.
TEST(Latency, OfOneCacheLineIsAsPublished) {
  EXPECT_NEAR(seconds("model:aws-f1", Direction::to_device, 64), 127e-6, 0.15 * 127e-6);
  EXPECT_NEAR(seconds("model:alpha-data-7v3", Direction::to_device, 64), 160e-6, 0.15 * 160e-6);
}

TEST(RealDevice, CopiesComeBackUnchangedAndTakeTime) {
  for (const Direction direction : {Direction::to_device, Direction::to_host}) {
    const auto device = offload::open_device("opencl:0", {});
    for (const Time time : time_copies(*device, direction, {kMiB}, 3)) EXPECT_GT(time, Time{});
  }
}

}  // namespace
}  // namespace isthmus::probes
