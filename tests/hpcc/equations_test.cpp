#include "hpcc/equations.hpp"

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

TEST(Equations, UnrollingByOneChangesNothing) {
  EXPECT_DOUBLE_EQ(unrolled_cycles(100, 1, 4096, 1), pipeline_cycles(100, 1, 4096));
}

// The figures below are worked out by hand from tables 3.4, 3.5 and 4.6; the memory interface of the 520N runs at 300
// MHz.
TEST(Equations, FftOfThe520NIsModelledAsInTheTable) {
  EXPECT_NEAR(fft_flops(17, 300e6, 2) * 1e-9, 408.0, 0.05);
}

TEST(Equations, GemmOfThe520NIsModelledAsInTheTable) {
  const GemmDesign table_3_4{.unrolling = 16, .kernel_hertz = 160.42e6, .memory_hertz = 300e6};
  EXPECT_NEAR(gemm_flops(4096, 5, table_3_4) * 1e-9, 791.6, 0.1);
  const GemmDesign table_4_6{.unrolling = 8, .kernel_hertz = 272.5e6, .memory_hertz = 300e6};
  EXPECT_NEAR(gemm_flops(4096, 5, table_4_6) * 1e-9, 1237.2, 0.1);
}

TEST(Equations, TransposeAsksMemoryForThreeTimesTheNetwork) {
  EXPECT_DOUBLE_EQ(transpose_network_bandwidth(16, 4) * 1e-9, 320);
  EXPECT_DOUBLE_EQ(transpose_memory_bandwidth(4), 3 * transpose_network_bandwidth(1, 4));
}

TEST(Equations, TheBaseSchemeIsLimitedAsPrinted) {
  EXPECT_NEAR(staged_bandwidth_limit(12.5e9, 8e9) * 1e-9, 6.06, 0.005);
}

}  // namespace
}  // namespace isthmus::hpcc
