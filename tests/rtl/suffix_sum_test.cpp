// Three witnesses of what a registered FIFO of L = F = 1 does: hardware, the engine, and the rules read literally.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "rtl/chain.hpp"

namespace isthmus::rtl {
namespace {

Stimulus steady(std::size_t terms, int term) {
  return {std::vector<int>(terms, term), std::vector<int>(terms, 0), {}};
}

/// Terms in bursts and after pauses, often negative so that sums are long; the last brings the sum to `stop`.
rc::Gen<Stimulus> any_stimulus(std::size_t depth) {
  return rc::gen::exec([depth] {
    Stimulus stimulus;
    int sum = 0;
    int earliest = 0;
    const auto add = [&](int term) {
      earliest += *rc::gen::weightedOneOf<int>({{3, rc::gen::just(0)}, {1, rc::gen::inRange(0, 12)}});
      stimulus.terms.push_back(term);
      stimulus.earliest.push_back(earliest);
      sum += term;
    };
    for (int term : *rc::gen::container<std::vector<int>>(rc::gen::inRange(-6, 10))) {
      if (sum < stop) add(term);
    }
    while (sum < stop) add(20);
    const auto surplus = *rc::gen::inRange<std::size_t>(0, depth + 1);  // what the first channel still holds
    for (std::size_t i = 0; i < surplus; ++i) add(1);
    const auto stall = rc::gen::weightedElement<bool>({{2, false}, {1, true}});
    for (int burst : *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 20))) {
      stimulus.sink_stalls.insert(stimulus.sink_stalls.end(), static_cast<std::size_t>(burst), *stall);
    }
    return stimulus;
  });
}

class SuffixSum : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Depths, SuffixSum, testing::Values(1U, 2U, 16U), testing::PrintToStringParamName());

TEST_P(SuffixSum, HardwareMovesEveryTokenInTheCycleTheRulesSay) {
  EXPECT_TRUE(rc::check([depth = GetParam()] {
    const Stimulus stimulus = *any_stimulus(depth).as("stimulus");
    RC_ASSERT(by_rtl(stimulus, depth) == by_rule(stimulus, depth));
  }));
}

TEST_P(SuffixSum, EngineMovesEveryTokenInTheCycleTheHardwareDoes) {
  EXPECT_TRUE(rc::check([depth = GetParam()] {
    const Stimulus stimulus = *any_stimulus(depth).as("stimulus");
    const Trace hardware = by_rtl(stimulus, depth);
    RC_ASSERT(by_engine(stimulus, depth, Seen::everywhere) == hardware);
    const Trace ends = by_engine(stimulus, depth, Seen::at_the_ends);
    RC_ASSERT(ends.offered == hardware.offered);
    RC_ASSERT(ends.taken == hardware.taken);
  }));
}

TEST_P(SuffixSum, SumsUpToTheStopAndLeavesTheRestInTheChannel) {
  Stimulus stimulus = steady(10, 30);
  stimulus.terms.resize(5 + GetParam());
  stimulus.earliest.resize(5 + GetParam());
  const Trace trace = by_rtl(stimulus, GetParam());
  std::vector<int> sums;
  for (const Event& event : trace.taken) sums.push_back(event.value);
  EXPECT_EQ(sums, (std::vector<int>{30, 60, 90, 120, 150}));
  EXPECT_EQ(trace.offered.size(), 5 + GetParam());
  EXPECT_EQ(trace.pulled.size(), 5U);
}

TEST(Fifo, OfDepthOneCarriesATokenEveryTwoCycles) {
  const Trace trace = by_rtl(steady(128, 1), 1);
  ASSERT_EQ(trace.taken.size(), 128U);
  EXPECT_EQ(trace.taken.back().cycle - trace.taken.front().cycle, 2 * 127);
}

TEST(Fifo, OfDepthTwoCarriesATokenACycle) {
  const Trace trace = by_rtl(steady(128, 1), 2);
  ASSERT_EQ(trace.taken.size(), 128U);
  EXPECT_EQ(trace.taken.back().cycle - trace.taken.front().cycle, 127);
}

}  // namespace
}  // namespace isthmus::rtl
