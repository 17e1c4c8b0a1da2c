#include "isthmus/hpcc/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "isthmus/base/summary.hpp"
#include "isthmus/offload/open.hpp"

namespace isthmus::hpcc {
namespace {

using testing::AllOf;
using testing::ElementsAre;

Request small(const std::string& benchmark, const std::vector<std::string>& overrides) {
  return {.benchmark = benchmark, .size = "small", .repetitions = 2, .overrides = overrides};
}

/// The replications whose launches a metric shows.
std::map<std::string, std::set<int>> replications_of(const Outcome& done) {
  std::map<std::string, std::set<int>> found;
  for (const Launch& each : done.launches) found[each.metric].insert(each.replication);
  return found;
}

TEST(Launches, EveryReplicationOfEveryBenchmarkIsSeen) {
  const std::set<int> both{0, 1};
  const std::vector<std::pair<std::string, std::vector<std::string>>> benchmarks{
      {"fft", {"DATA_SIZE=65536", "LOG_FFT_SIZE=9", "NUM_REPLICATIONS=2"}},
      {"gemm", {"MATRIX_SIZE=256", "BLOCK_SIZE=128", "NUM_REPLICATIONS=2"}},
      {"hpl", {"MATRIX_SIZE=1024", "NUM_REPLICATIONS=2"}},
      {"ptrans", {"MATRIX_SIZE=384", "NUM_REPLICATIONS=2"}},
      {"random_access", {"TABLE_SIZE_LOG=16", "NUM_REPLICATIONS=2"}}};
  for (const auto& [name, overrides] : benchmarks) {
    const auto found = replications_of(run(small(name, overrides), cluster::alone()));
    EXPECT_THAT(found, ElementsAre(std::pair(name, both)));
  }
}

/// The bytes of the buffers of a benchmark's own, by hand.
TEST(Plan, TellsTheMemoryAndTheWorkOfARunThatItDoesNotMake) {
  struct Case {
    Request request;
    std::size_t memory;
    double operations;
    double traffic;
  };
  const double n = 512;
  const std::size_t matrix = 512 * 512 * sizeof(float);
  for (const Case& each : {Case{small("stream", {"ARRAY_SIZE=1048576"}), 3U << 22U, 0, 16.0 * (1U << 22U)},
                           Case{small("gemm", {"MATRIX_SIZE=512", "BLOCK_SIZE=128"}), 6 * matrix, 2 * n * n * n, 0},
                           Case{small("hpl", {"MATRIX_SIZE=512", "LOCAL_MEM_BLOCK_LOG=5"}),
                                matrix + (4 * 16 + 2) * 32 * 32 * sizeof(float), 2 * n * n * n / 3, 0},
                           Case{small("fft", {"DATA_SIZE=1048576", "LOG_FFT_SIZE=9"}), 3U << 23U, 45.0 * (1U << 20U),
                                2.0 * (1U << 23U)}}) {
    const Plan made = plan(each.request, cluster::alone());
    EXPECT_EQ(made.needs.memory, each.memory) << each.request.benchmark;
    EXPECT_EQ(made.needs.operations, each.operations) << each.request.benchmark;
    EXPECT_EQ(made.needs.traffic, each.traffic) << each.request.benchmark;
    EXPECT_EQ(made.repetitions, 2);
    EXPECT_EQ(made.locations.size(), 1U);
  }
}

TEST(Plan, HasRoomForWhatEveryRunTouches) {
  for (const auto& entry : all_benchmarks()) {
    const Request request{.benchmark = std::string(entry.name), .size = "small", .repetitions = 1};
    const auto planned = plan(request, cluster::alone()).needs.memory;
    const auto touched = run(request, cluster::alone()).working_set;
    EXPECT_GE(planned, touched) << entry.name;
    EXPECT_LE(planned, 4 * touched) << entry.name;
  }
}

TEST(Launches, LastNoLongerThanTheRepetitionThatTheyArePartOf) {
  const Outcome done = run(small("stream", {"NUM_REPLICATIONS=4"}), cluster::alone());
  const std::set<int> all{0, 1, 2, 3};
  EXPECT_THAT(replications_of(done), ElementsAre(std::pair("stream.add", all), std::pair("stream.copy", all),
                                                 std::pair("stream.scale", all), std::pair("stream.triad", all)));
  for (const Result& result : done.results) {
    std::vector<offload::Span> spans;
    for (const Launch& each : done.launches)
      if (each.metric == result.metric.name) spans.push_back(each.span);
    if (spans.empty()) continue;
    const auto first = std::ranges::min(spans, {}, &offload::Span::start).start;
    const auto last = std::ranges::max(spans, {}, &offload::Span::end).end;
    EXPECT_GT(last, first);
    EXPECT_LE((last - first).seconds(), result.seconds.back());
  }
}

TEST(Repetitions, AreToldInOrderWithTheirTimes) {
  std::vector<Repetition> told;
  run(small("gemm", {"MATRIX_SIZE=256", "BLOCK_SIZE=128"}), cluster::alone(),
      {.on_locations = {}, .on_repetition = [&](const Repetition& each) { told.push_back(each); }});
  ASSERT_EQ(told.size(), 2U);
  for (const Repetition& each : told) EXPECT_LT(each.begin, each.end);
  EXPECT_LT(told[0].end, told[1].begin);
  EXPECT_THAT(told[1], AllOf(testing::Field(&Repetition::number, 2), testing::Field(&Repetition::total, 2)));
}

TEST(Parts, ARankTakesAsManyComputeUnitsAsOneOfSoManyRanksWould) {
  Request request = small("gemm", {"MATRIX_SIZE=256", "BLOCK_SIZE=128"});
  request.parts = static_cast<int>(offload::open_opencl("opencl:0")->properties().compute_units);
  const Outcome done = run(request, cluster::alone());
  EXPECT_EQ(done.conditions.device.compute_units, 1);
  EXPECT_EQ(done.locations.front().parts, request.parts);
  EXPECT_FALSE(done.shared);
}

/// A rate of 90 where the probes allow 100, of so much work.
Result of_probes(double work, const char* quantity = "rate") {
  Result result{
      .metric = {.name = "gemm", .quantity = quantity, .unit = "GFLOP/s", .work = work}, .value = 90, .spread = 0.05};
  result.seconds = {work / 90};
  result.expected = Expectation{.value = 100, .spread = 0.1};
  return result;
}

TEST(Rates, AreBoundByFivePercentAboveTheBestProbeAndTheSpreadsThatWereMeasured) {
  EXPECT_DOUBLE_EQ(of_probes(20).bound(), 100 * (1.05 + 0.1 + 0.05));
  EXPECT_TRUE(std::isinf(of_probes(20, "latency").bound()));
  Result unknown = of_probes(20);
  unknown.expected.reset();
  EXPECT_TRUE(std::isinf(unknown.bound()));
  Result mean = of_probes(20);
  mean.seconds.clear();
  EXPECT_TRUE(std::isinf(mean.bound()));
}

TEST(Rates, MayBeFasterThanTheProbesByWhatOtherProgramsLeftOfTheCores) {
  Result beside_others = of_probes(20);
  beside_others.others.load = 0.2;
  EXPECT_DOUBLE_EQ(beside_others.bound(), of_probes(20).bound() / 0.8);
  beside_others.others.load = 1;
  EXPECT_DOUBLE_EQ(beside_others.bound(), 2 * of_probes(20).bound());
}

TEST(Rates, OfRanksThatShareADeviceAreAtMostThoseOfOneThatHasTheWholeOfIt) {
  Result in_turn = of_probes(20);
  in_turn.others.sharers = 3;
  EXPECT_DOUBLE_EQ(in_turn.bound(), 3 * of_probes(20).bound());
  in_turn.metric = of_probes(1.9).metric;
  EXPECT_FALSE(in_turn.judged()) << "ranks wait for time slices of each other";
}

TEST(Rates, OfRepetitionsThatSkipTheWorkAreRefusedHoweverManyTheyAre) {
  for (int skipping = 1; skipping <= 10; ++skipping) {
    std::vector<double> rates(10, 50);  // half of what the probes allow
    std::fill_n(rates.begin(), skipping, 500);
    Result result = of_probes(100);
    result.value = 500;
    result.spread = summarise(rates).spread;
    EXPECT_GT(result.value, result.bound()) << skipping;
  }
}

TEST(Rates, AreJudgedByHowLongTheWorkIsExpectedToLastHoweverShortItWas) {
  Result quick = of_probes(0.1);
  EXPECT_TRUE(quick.judged());
  quick.seconds = {1e-6};
  EXPECT_TRUE(quick.judged());
  Result in_steps = of_probes(0.3);
  in_steps.metric.steps = 3;
  EXPECT_TRUE(in_steps.judged());
  in_steps.metric.steps = 4;
  EXPECT_FALSE(in_steps.judged());
  in_steps.metric = of_probes(6).metric;
  in_steps.metric.steps = 3;
  in_steps.others.load = 0.25;
  EXPECT_TRUE(in_steps.judged()) << "a step waits for time slices of others";
  in_steps.metric.steps = 4;
  EXPECT_FALSE(in_steps.judged());
  Result little = of_probes(0.0999);
  EXPECT_FALSE(little.judged());
  EXPECT_TRUE(std::isinf(little.bound()));
  little.seconds = {10};
  EXPECT_FALSE(little.judged());
  EXPECT_DOUBLE_EQ(little.expected_seconds().value_or(0), 0.000999);
}

}  // namespace
}  // namespace isthmus::hpcc
