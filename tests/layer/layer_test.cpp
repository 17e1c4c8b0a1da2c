// The layer under a program whose every call is known (known_calls.cpp).
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <set>

#include "layer/recorded.hpp"

namespace isthmus::layer {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAreArray;

/// Every command that has an event was complete, and its times come in order.
void expect_times(const Recorded& recorded) {
  for (const CallSlot& call : recorded.calls) {
    if ((call.flags & kHasTimes) == 0) continue;
    const auto found = recorded.times.find(call.id);
    ASSERT_NE(found, recorded.times.end()) << recorded.kind(call);
    const TimesSlot& times = found->second;
    EXPECT_EQ(times.status, 0);
    EXPECT_GT(times.queued, 0);
    EXPECT_LE(times.queued, times.submit);
    EXPECT_LE(times.submit, times.start);
    EXPECT_LE(times.start, times.end);
  }
}

class Parts : public testing::TestWithParam<const char*> {};

TEST_P(Parts, OfAProgramAreRecordedCallByCall) {
  const Session run = run_with_layer({GetParam()});
  ASSERT_EQ(run.outcome.code, 0) << run.outcome.err;
  ASSERT_THAT(run.journals, SizeIs(1));
  EXPECT_EQ(run.journals[0].lines(), run.lines("call"));
  expect_times(run.journals[0]);
  EXPECT_NE(run.journals[0].process.ended, 0);
  EXPECT_EQ(run.journals[0].process.lost, 0);
}

TEST_P(Parts, OfAProgramPrintTheSameWithoutTheLayer) {
  const Session alone = run_alone({GetParam()});
  const Session with_layer = run_with_layer({GetParam()});
  EXPECT_EQ(alone.outcome.code, 0) << alone.outcome.err;
  EXPECT_EQ(with_layer.outcome.code, 0) << with_layer.outcome.err;
  EXPECT_EQ(with_layer.outcome.out, alone.outcome.out);
}

INSTANTIATE_TEST_SUITE_P(Layer, Parts, testing::Values("all", "properties"));

TEST(Layer, WritesCallsInsideTheTimesOfTheHost) {
  const Session run = run_with_layer({"buffers"});
  std::uint64_t before = 0;
  for (const CallSlot& call : run.journals.at(0).calls) {
    EXPECT_LT(before, call.begin);
    EXPECT_LE(call.begin, call.end);
    EXPECT_GT(call.overhead, 0);
    before = call.end;
  }
}

TEST(Layer, KeepsTheErrorOfACallThatIsRefused) {
  const Session run = run_with_layer({"compute"});
  const auto& calls = run.journals.at(0).calls;
  EXPECT_EQ(std::ranges::count_if(calls, [](const CallSlot& call) { return call.result != 0; }), 1);
  EXPECT_EQ(calls.back().result, -30);  // CL_INVALID_VALUE
  EXPECT_EQ(calls.back().flags & kHasTimes, 0);
}

TEST(Layer, SaysWhichQueuesKeepTimesAgainstTheProgramsWish) {
  const Session run = run_with_layer({"properties"});
  for (const QueueSlot& queue : run.journals.at(0).queues) EXPECT_NE(queue.forced != 0, (queue.properties & 2U) != 0);
}

TEST(Layer, LosesNoCallOfAnyThread) {
  const Session run = run_with_layer({"threads"});
  ASSERT_EQ(run.outcome.code, 0) << run.outcome.err;
  const Recorded& recorded = run.journals.at(0);
  const auto writes = std::ranges::count_if(
      recorded.calls, [&](const CallSlot& call) { return recorded.kind(call) == "write buffer"; });
  EXPECT_EQ(writes, 4 * 2 * 250);
  std::uint64_t bytes = 0;
  std::set<std::uint32_t> threads;
  for (const CallSlot& call : recorded.calls)
    if (recorded.kind(call) == "write buffer") bytes += call.bytes;
  for (const CallSlot& call : recorded.calls) threads.insert(call.thread);
  EXPECT_EQ(bytes, 4 * 250 * (64 + 32));
  EXPECT_THAT(threads, SizeIs(4 + 1));
  expect_times(recorded);
}

TEST(Layer, LosesNoCallOfMoreThanAPieceOfTheJournalHolds) {
  const Session run = run_with_layer({"many", "5000"});
  ASSERT_EQ(run.outcome.code, 0) << run.outcome.err;
  const Recorded& recorded = run.journals.at(0);
  EXPECT_THAT(recorded.calls, SizeIs(5000 + 3));  // create, build and finish
  EXPECT_THAT(recorded.times, SizeIs(5000));
  expect_times(recorded);
}

struct Leaving {
  const char* how;
  int code;
  bool orderly;
};

class Leave : public testing::TestWithParam<Leaving> {};

TEST_P(Leave, KeepsWhatWasDoneBefore) {
  const Session run = run_with_layer({GetParam().how});
  EXPECT_EQ(run.outcome.code, GetParam().code) << run.outcome.err;
  ASSERT_THAT(run.journals, SizeIs(1));
  EXPECT_EQ(run.journals[0].lines(), run.lines("call"));
  expect_times(run.journals[0]);
  EXPECT_EQ(run.journals[0].process.ended != 0, GetParam().orderly);
}

INSTANTIATE_TEST_SUITE_P(Layer, Leave,
                         testing::Values(Leaving{"left", 6, true}, Leaving{"quick", 7, false},
                                         Leaving{"killed", 128 + SIGKILL, false}));

class Seen : public testing::TestWithParam<const char*> {};

TEST_P(Seen, CompleteCommandsHaveTheirTimesThoughTheProgramLeavesByExit) {
  const Session run = run_with_layer({GetParam()});
  EXPECT_EQ(run.outcome.code, 7) << run.outcome.err;
  const Recorded& recorded = run.journals.at(0);
  EXPECT_THAT(recorded.lines(), UnorderedElementsAreArray(run.lines("call")));
  EXPECT_THAT(recorded.times, SizeIs(3 + 1));  // with the marker
  expect_times(recorded);
  EXPECT_EQ(recorded.process.ended, 0);
}

INSTANTIATE_TEST_SUITE_P(Layer, Seen, testing::Values("polls", "releases-queue", "releases-context"));

TEST(Layer, AsksForNoTimesThatTheProgramNeverWaitedFor) {
  const Session run = run_with_layer({"never-asks"});
  EXPECT_THAT(run.journals.at(0).lines(), UnorderedElementsAreArray(run.lines("call")));
  EXPECT_THAT(run.journals.at(0).times, SizeIs(1));  // the marker's, whose callback came
}

/// The calls of these kinds, by their begin.
std::vector<CallSlot> calls_of(const Recorded& recorded, const std::set<std::string>& kinds) {
  std::vector<CallSlot> found;
  for (const CallSlot& call : recorded.calls)
    if (kinds.contains(recorded.kind(call))) found.push_back(call);
  std::ranges::sort(found, {}, &CallSlot::begin);
  return found;
}

TEST(Layer, SeesAHostThatWaitsByPollingOrByACallback) {
  const Session run = run_with_layer({"waits"});
  ASSERT_EQ(run.outcome.code, 0) << run.outcome.err;
  const Recorded& recorded = run.journals.at(0);
  EXPECT_THAT(recorded.lines(), UnorderedElementsAreArray(run.lines("call")));
  const auto opened = calls_of(recorded, {"set user event"});
  const std::uint32_t own = recorded.calls.front().thread;
  const auto waits = calls_of(recorded, {"poll events", "wait for a callback"});
  ASSERT_THAT(opened, SizeIs(3));
  ASSERT_THAT(waits, SizeIs(3));
  for (std::size_t at = 0; at < waits.size(); ++at) {
    EXPECT_EQ(waits[at].thread, own);
    EXPECT_NE(opened[at].thread, own);
    EXPECT_LT(waits[at].begin, opened[at].begin);
    EXPECT_GT(waits[at].end, opened[at].begin);
  }
  expect_times(recorded);
}

TEST(Layer, CallsNoDriverWithALockThatACallbackNeeds) {
  const Session run = run_with_layer({"gate"});
  ASSERT_EQ(run.outcome.code, 0) << run.outcome.err;
  std::vector<std::string> lines = run.journals.at(0).lines();
  // It comes before the thread is in its finish, or not.
  std::erase(lines, "wait for a callback|0|1|-|-|-");
  EXPECT_THAT(lines, UnorderedElementsAreArray(run.lines("call")));
  expect_times(run.journals.at(0));
  EXPECT_EQ(run_alone({"gate"}).outcome.code, 0);
}

TEST(Layer, GivesEachProcessThatCallsOpenClAJournalOfItsOwn) {
  const Session run = run_with_layer({"split"});
  ASSERT_EQ(run.outcome.code, 0) << run.outcome.err;
  ASSERT_THAT(run.journals, SizeIs(2));
  EXPECT_EQ(run.journals[1].process.parent, run.journals[0].process.process);
  std::vector<std::string> all = run.journals[0].lines();
  for (const std::string& line : run.journals[1].lines()) all.push_back(line);
  EXPECT_THAT(all, UnorderedElementsAreArray(run.lines("call")));
  for (const Recorded& recorded : run.journals) expect_times(recorded);
}

TEST(Layer, IsNotThereForAProgramWithoutOpenCl) {
  const Session run = run_with_layer({"none"});
  EXPECT_EQ(run.outcome.code, 3);
  EXPECT_THAT(run.journals, IsEmpty());
}

}  // namespace
}  // namespace isthmus::layer
