// When and how a run ends (docs/time.md, "The end"), on graphs small enough to be worked out by hand. Clocks of 1 GHz.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/run_both.hpp"

namespace isthmus::reference {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::UnorderedElementsAre;

TEST(Ending, APushForAFinishedReaderIsStuck) {
  const auto run = run_pair("clock=1000000000/1 done=pushed/10 { push }", "clock=1000000000/1 done=pulled/1 { pull }",
                            "depth=2 latency=1 return=1");
  EXPECT_EQ(run.end, End::stuck);
  EXPECT_THAT(ns(run.channels[0].pushes), ElementsAre(0, 1, 2));
  EXPECT_EQ(run.time, 3 * kNs);
}

TEST(Ending, StuckHoldsFromTheReadersFinishIfThatIsLater) {
  const auto run =
      run_pair("clock=1000000000/1 done=pushed/10 { push }",
               "clock=1000000000/1 done=counted/1 { wait_until a=20000000 count }", "depth=2 latency=1 return=1");
  EXPECT_EQ(run.end, End::stuck);
  EXPECT_EQ(run.time, 21 * kNs);
  EXPECT_THAT(ns(run.actors[0]), ElementsAre(2, 0, 19, 21));
}

TEST(Ending, TwoThatReadFromEachOtherAreDeadlockedAtTheLaterRead) {
  const auto run = run_both(R"(run limit=1000000000
    actor a clock=1000000000/1 done=pushed/10 { read push }
    actor b clock=1000000000/1 done=pushed/10 { wait_until a=7000000 read push }
    actor source clock=1000000000/1 done=pushed/50 { push }
    actor sink clock=1000000000/1 { pull }
    channel a 0 b 0 depth=2 latency=1 return=1
    channel b 0 a 0 depth=2 latency=1 return=1
    channel source 0 sink 0 depth=2 latency=1 return=1)");
  EXPECT_EQ(run.end, End::deadlock);
  EXPECT_EQ(run.time, 7 * kNs);
  ASSERT_EQ(run.culprits.size(), 1u);
  EXPECT_THAT(run.culprits[0], UnorderedElementsAre(Field(&Culprit::actor, 0u), Field(&Culprit::actor, 1u)));
  EXPECT_THAT(ns(run.channels[2].pushes), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7)) << "what was done by then counts";
}

TEST(Ending, TwoThatPollEachOtherAreQuiescentOnceTheirFirstStepsAreComplete) {
  const auto run = run_both(R"(run limit=1000000000
    actor a clock=1000000000/1 done=pushed/10 { pull if_last { push } }
    actor b clock=1000000000/1 ii=3 done=pushed/10 { pull if_last { push } }
    channel a 0 b 0 depth=2 latency=1 return=1
    channel b 0 a 0 depth=2 latency=1 return=1)");
  EXPECT_EQ(run.end, End::quiescent);
  EXPECT_EQ(run.time, 3 * kNs) << "the first step, at mark 0, is watched";
}

TEST(Ending, WhoAsksNothingOrIsToldYesAndDoesNothingIsIdle) {
  const auto run = run_both(R"(run limit=1000000000
    actor source clock=1000000000/1 done=pushed/10 { if_below r=2 a=1 { push count r=2 } }
    actor sink clock=1000000000/1 done=pulled/10 { peek room }
    actor last clock=1000000000/1 done=pulled/10 { read }
    channel source 0 sink 0 depth=2 latency=1 return=1
    channel sink 0 last 0 depth=2 latency=1 return=1)");
  EXPECT_EQ(run.end, End::quiescent);
  // The source pushed at 0: mark 1 comes too soon after that, the step at mark 2 is watched and ends at 3.
  EXPECT_EQ(run.time, 3 * kNs);
  EXPECT_THAT(ns(run.actors[0]), ElementsAre(3, 0, 0, 3)) << "not told no: busy";
}

TEST(Ending, WhoDiesLateIsFoundAtTheMarkAfterTheNext) {
  const auto run =
      run_pair("clock=1000000000/1 done=pushed/10 { if_below r=2 a=1 { wait_until a=100000000 push count r=2 } }",
               "clock=1000000000/1 done=pulled/10 { read }", "depth=2 latency=1 return=1");
  EXPECT_EQ(run.end, End::quiescent);
  EXPECT_EQ(run.time, 257 * kNs) << "pushed at 100; nothing since 128, the mark before 256";
}

TEST(Ending, TwoThatLookForEachOtherNowAndThenAreQuiescentOnceEachHasLookedTwice) {
  const std::string text = R"(run limit=1000000000
    actor a done=pushed/10 { pull if_last { push } wait a=3000000 }
    actor b done=pushed/10 { pull if_last { push } wait a=5000000 }
    channel a 0 b 0 depth=2 latency=1000000 return=1000000
    channel b 0 a 0 depth=2 latency=1000000 return=1000000)";
  const auto run = run_both(text);
  EXPECT_EQ(run.end, End::quiescent);
  EXPECT_EQ(run.time, 10 * kNs);
  EXPECT_THAT(ns(run.actors[0]), ElementsAre(10, 0, 0, 10)) << "a wait is busy";
  const auto reader = run_both(std::string(text).replace(text.find("wait a=3000000"), 4, "wait_on"));
  EXPECT_EQ(reader.end, End::limit) << "who reads the time is not idle";
}

TEST(Ending, WhoLooksNowAndThenFindsATokenAtATimeOfItsOwn) {
  const auto run = run_both(R"(run limit=1000000000
    actor source clock=1000000000/1 done=pushed/1 { wait_until a=100000000 push }
    actor poller done=pulled/2 { pull wait a=3000000 }
    channel source 0 poller 0 depth=2 latency=1 return=1000000)");
  EXPECT_THAT(ns(run.channels[0].pops), ElementsAre(102)) << "visible at 101";
  EXPECT_EQ(run.end, End::quiescent);
  EXPECT_EQ(run.time, 111 * kNs) << "looks at 105 and 108 in vain";
}

TEST(Ending, WhoComputesIsNotIdleHoweverLongItTakes) {
  const auto run = run_pair("clock=1000000000/1 done=pushed/1 { if_below r=2 a=700 { count r=2 leave } push }",
                            "clock=1000000000/1 done=pulled/1 { read }", "depth=2 latency=1 return=1");
  EXPECT_EQ(run.end, End::finished);
  EXPECT_THAT(ns(run.channels[0].pushes), ElementsAre(700));
}

TEST(Ending, AnActorThatCountsItsStepsIsNeverIdle) {
  const auto run = run_both(R"(run limit=50000000
    actor a clock=1000000000/1 done=pushed/10 { count pull if_last { push } }
    actor b clock=1000000000/1 done=pushed/10 { pull if_last { push } }
    channel a 0 b 0 depth=2 latency=1 return=1
    channel b 0 a 0 depth=2 latency=1 return=1)");
  EXPECT_EQ(run.end, End::limit);
}

TEST(Ending, AnActorThatIsNoPlainStructIsIdleOnlyByItsWord) {
  const std::string text = R"(run limit=50000000
    actor a clock=1000000000/1 nontrivial done=pushed/10 { pull if_last { push } sleep }
    actor b clock=1000000000/1 nontrivial done=pushed/10 { pull if_last { push } sleep }
    channel a 0 b 0 depth=2 latency=1 return=1
    channel b 0 a 0 depth=2 latency=1 return=1)";
  const auto promised = run_both(text);
  EXPECT_EQ(promised.end, End::quiescent);
  EXPECT_EQ(promised.time, 1 * kNs);
  const auto silent = run_both(std::string(text).erase(text.find(" sleep"), 6));
  EXPECT_EQ(silent.end, End::limit);
}

TEST(Ending, WaitsForWhatIsOnItsWay) {
  const auto run = run_both(R"(run limit=1000000000
    actor a clock=1000000000/1 done=pushed/1 { push }
    actor b clock=1000000000/1 done=pulled/2 { pull }
    channel a 0 b 0 depth=2 latency=30 return=1)");
  // The token arrives at 30, b is idle again with its steps of 31 and 32.
  EXPECT_EQ(run.end, End::quiescent);
  EXPECT_EQ(run.time, 33 * kNs);
}

TEST(Ending, PeriodicActorsNeitherHoldUpARunNorGetStuck) {
  const auto run = run_both(R"(run limit=1000000000
    actor refresh clock=1000000000/1 periodic { push }
    actor b clock=1000000000/1 done=pulled/1 { pull }
    actor c clock=1000000000/1 done=counted/20 { count pull }
    actor d clock=1000000000/1 done=counted/0 { push }
    channel refresh 0 b 0 depth=2 latency=1 return=1
    channel d 0 c 0 depth=2 latency=1 return=1)");
  EXPECT_EQ(run.end, End::finished);
  EXPECT_EQ(run.time, 20 * kNs);
  EXPECT_THAT(ns(run.actors[0]), ElementsAre(3, 0, 17, 20));
}

TEST(Ending, NothingIsQuiescentBesideAPeriodicActor) {
  const auto run = run_both(R"(run limit=100000000
    actor tick clock=1000000000/1 periodic { pull }
    actor b clock=1000000000/1 done=pushed/5 { room push }
    channel b 0 tick 0 depth=2 latency=1 return=1)");
  EXPECT_EQ(run.end, End::finished);
  const auto waiting = run_both(R"(run limit=100000000
    actor tick clock=1000000000/1 periodic { closed }
    actor b clock=1000000000/1 done=pushed/5 { push }
    channel b 0 tick 0 depth=2 latency=1 return=1)");
  EXPECT_EQ(waiting.end, End::limit);
}

}  // namespace
}  // namespace isthmus::reference
