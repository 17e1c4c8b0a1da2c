#include "isthmus/hpcc/equations.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace isthmus::hpcc {
namespace {

TEST(Equations, EffectiveBandwidthOfThe520nIsTheMeanOverTwentyOneSizes) {
  // meyer2024 tables 4.2 and 4.6: two kernel pairs; the mean over the sizes is 15.54 GB/s.
  std::vector<double> best;
  for (int log = 0; log <= 20; ++log) best.push_back(2 * channel_bandwidth(std::ldexp(1, log)));
  EXPECT_NEAR(effective_bandwidth(best) * 1e-9, 15.54, 0.01);
}

TEST(Equations, AByteOverASerialChannelTakesItsLatencyAndOneCycle) {
  EXPECT_NEAR(channel_seconds(1, 1), 526.4e-9, 1e-12);
}

TEST(Equations, ManyMessagesTakeAsOftenAsLong) {
  EXPECT_DOUBLE_EQ(channel_seconds(4096, 7), 7 * channel_seconds(4096, 1));
}

TEST(Equations, PrintedFormOfFourPointFourIsFourPointThreeWithTheTableValues) {
  for (const double bytes : {1.0, 64.0, 65.0, 1048576.0})
    EXPECT_NEAR(channel_bandwidth(bytes), 2 * bytes / (std::ceil(bytes / 64) * 6.4e-9 + 520e-9), 1);
}

TEST(Equations, StagedBandwidthHalvesWhenAllStepsTakeTwiceAsLong) {
  EXPECT_DOUBLE_EQ(staged_bandwidth(1024, 1, 2, 3), 2 * staged_bandwidth(1024, 2, 4, 6));
}

TEST(Equations, TransposedBlocksTakeLessAtAHigherClock) {
  // The printed form multiplies by the frequency, by which a faster clock would take longer.
  EXPECT_DOUBLE_EQ(transpose_block_seconds(0, 512, 16, 300e6), 3 * 512.0 * 512 / 16 / 300e6);
}

TEST(Equations, TransposeTrafficIsThreeTimesWhatIsReported) {
  EXPECT_DOUBLE_EQ(transpose_traffic(100, 4, 0.5), 3 * transpose_rate(100, 4, 0.5));
  EXPECT_DOUBLE_EQ(transpose_rate(100, 4, 0.5), 4 * transpose_flops(100, 0.5));
}

TEST(Equations, StreamCountsEachArrayOnce) {
  EXPECT_DOUBLE_EQ(stream_rate(3, 8e9, 2), 12e9);
}

}  // namespace
}  // namespace isthmus::hpcc
