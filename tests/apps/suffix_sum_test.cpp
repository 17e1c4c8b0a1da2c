// The suffix sum in all of its flows, on a model, on an OpenCL device and on threads.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <map>

#include "apps/installed.hpp"
#include "flows/ran.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::apps {
namespace {

using program::ByteApplication;
using program::Run;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

ByteApplication suffix_sum(std::int64_t values) {
  return installed("suffix-sum", {{"values", values}});
}

Run run(const std::string& target, const std::string& flow, const ByteApplication& application, int count,
        const std::vector<std::string>& overrides = {}) {
  return program::open_target(target, overrides)->run({.application = application, .flow = flow, .count = count});
}

struct Case {
  const char* target;
  std::vector<std::string> flows;
};

class SuffixSum : public testing::TestWithParam<Case> {};

TEST_P(SuffixSum, GivesTheRunningSumOfEachMessageInEachFlow) {
  const auto target = program::open_target(GetParam().target, {});
  for (const std::int64_t values : {16, 4096, 65552}) {
    const ByteApplication application = suffix_sum(values);
    EXPECT_EQ(target->flows(application), GetParam().flows);
    for (const std::string& flow : GetParam().flows) {
      const program::Run right = run(GetParam().target, flow, application, 5);
      EXPECT_FALSE(right.difference) << flow << " of " << values;
      EXPECT_EQ(right.times.latencies.size(), 5U);
      EXPECT_LE(std::ranges::max(right.times.latencies), right.times.elapsed);
    }
  }
}

/// The check can say no.
TEST_P(SuffixSum, ASumThatIsWrongInOneNumberOfOneMessageIsFound) {
  for (const std::string& flow : GetParam().flows) {
    ByteApplication application = suffix_sum(4096);
    const auto reference = application.reference;
    application.reference = [&](std::span<const std::byte> in, std::span<std::byte> out) {
      reference(in, out);
      std::vector<std::byte> third(in.size());
      application.fill(3, third);
      if (std::ranges::equal(third, in)) out[4000] ^= std::byte{1};
    };
    const auto difference = run(GetParam().target, flow, application, 5).difference;
    ASSERT_TRUE(difference) << flow;
    EXPECT_EQ(difference->message, 3);
    EXPECT_EQ(difference->offset, 1000U);
    EXPECT_EQ(difference->elements, 1);
    EXPECT_EQ(difference->of_elements, 5 * 4096);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, SuffixSum,
                         testing::Values(Case{"model:aws-f1", {"offload", "overlap", "stream"}},
                                         Case{"opencl:0", {"offload", "overlap"}}, Case{"native", {"stream"}}));

TEST(SuffixSumOnModels, AMessageThatTakesSeveralBuffersIsOne) {
  EXPECT_FALSE(
      run("model:aws-f1", "stream", suffix_sum(16384), 4, {"stream.buffer_size=16KiB", "stream.input_buffers=2"})
          .difference);
}

TEST(SuffixSumOnModels, TheKernelTakesNoMoreThanAWordACycle) {
  const auto seconds = [](std::int64_t values) {
    return run("model:aws-f1", "offload", suffix_sum(values), 2, {"device.dram.transfer_rate=20000MT/s"})
               .times.stages[1]
               .time.seconds() /
           2;
  };
  const double words = (524288 - 262144) / 16.0;
  const double cycles = (seconds(524288) - seconds(262144)) * 250e6;
  EXPECT_GE(cycles, words * 0.999);
}

/// stacc V-C: two requests of 1 KiB do not cover 1 us at the link's rate; 16 do.
TEST(SuffixSumOnModels, SoManyRequestsInFlightGiveTheRateOfLittlesLaw) {
  const ByteApplication application = suffix_sum(1 << 20);
  constexpr int kMessages = 8;
  for (const auto& [requests, gb_per_s] : std::map<int, double>{{2, 1.83}, {4, 3.62}, {13, 11.0}, {16, 11.95}}) {
    const program::Ran done = program::ran("model:aws-f1", {fmt::format("stream.requests_in_flight={}", requests)},
                                           {.application = application, .flow = "stream", .count = kMessages});
    const double rate = kMessages * static_cast<double>(application.input) / done.seconds();
    EXPECT_NEAR(rate * 1e-9 / gb_per_s, 1, 0.06) << requests;
    const double round_trip = done.part("requests in flight").at("window").at("round_trip_s");
    EXPECT_NEAR(rate * round_trip / (requests * 1024.0), 1, 0.03) << requests;
    if (requests < 13) {
      EXPECT_EQ(done.row.at("bottleneck").at("part"), "requests in flight");
    }
  }
}

TEST(SuffixSumOnModels, ACoarseStreamTakesTheTimeOfAFineOneAndHasItsBytes) {
  const auto target = program::open_target("model:aws-f1", {"stream.porter_period=1us", "link.pcie.round_trip=500ns"});
  const ByteApplication application = suffix_sum(65536);
  const auto timed = [&](program::Grain grain) {
    const program::Ran done =
        program::ran(*target, {.application = application, .flow = "stream", .count = 150, .grain = grain});
    EXPECT_EQ(done.row.at("grain"), platform::to_string(grain));
    EXPECT_FALSE(done.run.difference);
    return done.seconds();
  };
  EXPECT_NEAR(timed(program::Grain::coarse) / timed(program::Grain::fine), 1, 0.01);
}

TEST(SuffixSumMaker, RefusesMessagesThatAreNoWholeWords) {
  EXPECT_THAT([] { suffix_sum(24); }, ThrowsMessage<Error>(HasSubstr("values: expected a multiple of 16")));
}

}  // namespace
}  // namespace isthmus::apps
