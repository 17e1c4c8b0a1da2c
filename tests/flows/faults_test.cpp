// Runs in which something goes wrong on purpose: what comes out is what comes out without.
#include <gmock/gmock.h>

#include "application/increments.hpp"
#include "isthmus/base/error.hpp"
#include "program/target.hpp"

namespace isthmus::program {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr const char* kBoard = "model:aws-f1";
constexpr std::size_t kNumbers = 4096;

struct Chosen {
  Faults faults{};
  std::uint64_t seed = 1;
  int count = 12;
};

Run run(const std::string& target, const Chosen& chosen) {
  const ByteApplication application = increments(kNumbers).bytes();
  return open_target(target, {})
      ->run({.application = application,
             .flow = "stream",
             .count = chosen.count,
             .seed = chosen.seed,
             .faults = chosen.faults});
}

FaultTally tally(const Faults& faults) {
  return run(kBoard, {.faults = faults}).faults.value_or(FaultTally{});
}

// Every byte of every output is compared with the reference, which is what comes out without faults.
TEST(FaultsOfRuns, OutputsAreRightWhateverGoesWrongAndItCostsTime) {
  const Time without = run(kBoard, {}).times.elapsed;
  for (const Faults& faults : {Faults{.stall = 0.02}, Faults{.drop = 0.02}, Faults{.duplicate = 0.2},
                               Faults{.corrupt = 0.02}, Faults{.stall = 0.1, .drop = 0.1, .duplicate = 0.1}}) {
    const auto faulty = run(kBoard, {.faults = faults});
    EXPECT_TRUE(faulty.right());
    EXPECT_GT(faulty.times.elapsed, without);
  }
}

TEST(FaultsOfRuns, EachIsCountedAndNoOther) {
  const FaultTally stalled = tally({.stall = 0.02});
  EXPECT_GT(stalled.stalled, 0);
  EXPECT_EQ(stalled.dropped + stalled.duplicated + stalled.replayed + stalled.corrupted, 0);
  const FaultTally dropped = tally({.drop = 0.02});
  EXPECT_GT(dropped.dropped, 0);
  EXPECT_GE(dropped.replayed, dropped.dropped) << "each was sent again";
  EXPECT_EQ(dropped.stalled + dropped.duplicated + dropped.corrupted, 0);
  const FaultTally twice = tally({.duplicate = 0.02});
  EXPECT_GT(twice.duplicated, 0);
  EXPECT_EQ(twice.stalled + twice.dropped + twice.replayed + twice.corrupted, 0);
  const FaultTally corrupted = tally({.corrupt = 0.02});
  EXPECT_GT(corrupted.corrupted, 0);
  EXPECT_GE(corrupted.replayed, corrupted.corrupted);
  EXPECT_EQ(corrupted.stalled + corrupted.dropped + corrupted.duplicated, 0);
}

TEST(FaultsOfRuns, EachEndOfTheLinkStallsAsOftenAsItIsAskedTo) {
  // Of 12 messages of 16 KiB either host thread handles a buffer each, the kernel's ends 256 words each.
  const FaultTally always = tally({.stall = 1});
  EXPECT_EQ(always.stalled, 2 * 12 + 2 * 12 * static_cast<int>(kNumbers * sizeof(Number) / kWordBytes));
}

TEST(FaultsOfRuns, EqualSeedsGiveEqualRunsAndOthersDiffer) {
  const Faults faults{.stall = 0.01, .drop = 0.02, .duplicate = 0.02, .corrupt = 0.02};
  const auto one = run(kBoard, {.faults = faults, .seed = 5});
  const auto again = run(kBoard, {.faults = faults, .seed = 5});
  const auto other = run(kBoard, {.faults = faults, .seed = 6});
  EXPECT_EQ(one.times.elapsed, again.times.elapsed);
  EXPECT_EQ(one.times.latencies, again.times.latencies);
  EXPECT_EQ(one.faults, again.faults);
  EXPECT_NE(one.faults, other.faults);
}

TEST(FaultsOfRuns, WithoutFaultsTheSeedChangesNothingAndTheRunTellsOfNone) {
  const auto one = run(kBoard, {.seed = 1});
  const auto other = run(kBoard, {.seed = 2});
  EXPECT_EQ(one.times.latencies, other.times.latencies);
  EXPECT_FALSE(one.faults);
}

TEST(FaultsOfRuns, ADeadConsumerIsSaidSoOnModelsAndOnThreads) {
  for (const char* target : {kBoard, "native"})
    for (const int after : {0, 5, 11})
      EXPECT_THAT([&] { run(target, {.faults = {.die = after}}); },
                  ThrowsMessage<Error>(HasSubstr("a dead consumer, its thread ended after " + std::to_string(after))))
          << target;
}

TEST(FaultsOfRuns, AConsumerThatWouldDieAfterItsLastMessageLives) {
  EXPECT_TRUE(run(kBoard, {.faults = {.die = 12}}).right());
  EXPECT_TRUE(run("native", {.faults = {.die = 12}}).right());
}

TEST(FaultsOfRuns, ThreadsThatStallLoseNothing) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto stalled = run("native", {.faults = {.stall = 0.05}, .seed = seed});
    EXPECT_TRUE(stalled.right());
    EXPECT_GT(stalled.faults.value_or(FaultTally{}).stalled, 0);
  }
}

TEST(FaultsOfRuns, AFlowTakesTheFaultsThatActOnSomethingInIt) {
  const ByteApplication application = increments(kNumbers).bytes();
  const auto taken = [&](const char* target) {
    const auto names = open_target(target, {})->faults(application, "stream");
    return std::vector<std::string_view>(names.begin(), names.end());
  };
  EXPECT_THAT(taken(kBoard), testing::UnorderedElementsAre("stall", "drop", "duplicate", "corrupt", "die"));
  EXPECT_THAT(taken("native"), testing::UnorderedElementsAre("stall", "die")) << "nothing there could lose anything";
  EXPECT_TRUE(open_target(kBoard, {})->faults(application, "offload").empty());
}

}  // namespace
}  // namespace isthmus::program
