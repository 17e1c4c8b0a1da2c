#include <gtest/gtest.h>

#include "cluster/single_rank.hpp"
#include "isthmus/hpcc/run.hpp"

namespace isthmus::hpcc {
namespace {

Request few(const std::string& scheme) {
  return {.benchmark = "b_eff", .size = "small", .repetitions = 1, .scheme = scheme, .overrides = {"MESSAGES=1"}};
}

/// One rank whose messages to itself lose a bit: of the `fault`th exchange, the `bit`th.
class LosesABit final : public cluster::SingleRank {
 public:
  LosesABit(int fault, std::size_t bit) : fault_(fault), bit_(bit) {}
  void exchange(std::span<const std::byte> out, int to, std::span<std::byte> in, int from) override {
    SingleRank::exchange(out, to, in, from);
    if (fault_-- != 0) return;
    in[bit_ / 8 % in.size()] ^= std::byte{1} << (bit_ % 8);
  }

 private:
  int fault_;
  std::size_t bit_;
};

TEST(EffectiveBandwidth, EverySchemeBringsBackWhatARankSendsItself) {
  for (const char* scheme : {"staged", "pipelined", "shared", "mapped", "cpu"})
    EXPECT_EQ(run(few(scheme), cluster::alone()).validation.error, 0) << scheme;
}

TEST(EffectiveBandwidth, AnyBitOfAMessageIsCaught) {
  // With the cpu scheme exchanges are those of the messages alone: 21 sizes and the one for the latency, to the right
  // and to the left, twice (the first repetition warms up).
  constexpr int kExchanges = 2 * 22;
  for (int exchange = 0; exchange < kExchanges; ++exchange) {
    const auto bit = static_cast<std::size_t>(exchange) * 7919;
    const cluster::Ranks ranks(std::make_shared<LosesABit>(kExchanges + exchange, bit));
    const Outcome done = run(few("cpu"), ranks);
    EXPECT_EQ(done.validation.error, 1) << exchange;
    EXPECT_FALSE(done.validation.passed());
  }
}

TEST(EffectiveBandwidth, EveryMessageSizeIsReportedAndTheirMean) {
  const Outcome done = run(few("staged"), cluster::alone());
  ASSERT_EQ(done.results.size(), 23U);
  double sum = 0;
  for (std::size_t size = 0; size < 21; ++size) sum += done.results[size].value;
  EXPECT_DOUBLE_EQ(done.results[22].value, sum / 21);
}

}  // namespace
}  // namespace isthmus::hpcc
