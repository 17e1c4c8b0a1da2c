// Each rule of docs/time.md on a graph small enough to be worked out by hand. Clocks of 1 GHz, so that a tick is 1 ns,
// unless a test says otherwise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/run_both.hpp"

namespace isthmus::reference {
namespace {

using ::testing::ElementsAre;

TEST(Channel, ARegisteredFifoOfTwoCarriesATokenACycleOneCycleLate) {
  const auto run = run_pair("clock=1000000000/1 done=pushed/4 { push count }", "clock=1000000000/1 { pull }",
                            "depth=2 latency=1 return=1");
  EXPECT_THAT(ns(run.channels[0].pushes), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(ns(run.channels[0].pops), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(run.end, End::finished);
  EXPECT_EQ(run.time, 5 * kNs) << "the close of cycle 4 is seen one cycle later";
  EXPECT_THAT(ns(run.actors[0]), ElementsAre(4, 0, 0, 4));
  EXPECT_THAT(ns(run.actors[1]), ElementsAre(4, 1, 0, 5));
}

TEST(Channel, OfDepthOneCarriesATokenEveryOtherCycle) {
  const auto run = run_pair("clock=1000000000/1 done=pushed/4 { push }", "clock=1000000000/1 { pull }",
                            "depth=1 latency=1 return=1");
  EXPECT_THAT(ns(run.channels[0].pushes), ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(ns(run.channels[0].pops), ElementsAre(1, 3, 5, 7));
  EXPECT_THAT(ns(run.actors[0]), ElementsAre(4, 0, 3, 7));
}

TEST(Channel, LatenciesAreCyclesOfTheEndTheyStartFrom) {
  const auto run = run_pair("clock=1000000000/1 done=pushed/3 { push }", "clock=1000000000/1 { pull }",
                            "depth=1 latency=3 return=4");
  EXPECT_THAT(ns(run.channels[0].pushes), ElementsAre(0, 7, 14));
  EXPECT_THAT(ns(run.channels[0].pops), ElementsAre(3, 10, 17));
  EXPECT_EQ(run.time, 18 * kNs);
}

TEST(Channel, BetweenUnrelatedClocksATokenWaitsForTwoEdgesOfTheSynchroniser) {
  const auto run = run_pair("clock=1000000000/1 done=pushed/2 { push }", "clock=1000000000/3 { pull }",
                            "depth=1 latency=1 return=1");
  // Written at 0, there at 1, first edge of the reader 3, two more: 9. Popped at 9, returned at 12, two more: 14.
  EXPECT_THAT(ns(run.channels[0].pushes), ElementsAre(0, 14));
  // There at 15, an edge itself, two more: 21.
  EXPECT_THAT(ns(run.channels[0].pops), ElementsAre(9, 21));
  // Finished at 15, seen at 16 -> 18 -> 24.
  EXPECT_EQ(run.time, 24 * kNs);
}

TEST(Channel, BetweenClocksOfOnePllNeedsNoSynchroniser) {
  const auto run = run_pair("clock=1000000000/1 pll=main done=pushed/2 { push }",
                            "clock=1000000000/3 pll=main { pull }", "depth=1 latency=1 return=1");
  EXPECT_THAT(ns(run.channels[0].pushes), ElementsAre(0, 6));
  EXPECT_THAT(ns(run.channels[0].pops), ElementsAre(3, 9));
}

TEST(Channel, ASynchroniserThatIsNamedIsTheOneThatCounts) {
  const auto run = run_pair("clock=1000000000/1 pll=main done=pushed/1 { push }",
                            "clock=1000000000/3 pll=main { pull }", "depth=1 latency=1 return=1 sync=3");
  EXPECT_THAT(ns(run.channels[0].pops), ElementsAre(12));
}

TEST(Channel, ClocksApartInPhaseOnlyAreTwoClocks) {
  const auto run = run_pair("clock=500000000/1 phase=1/2 done=pushed/1 { push }", "clock=500000000/1 { pull }",
                            "depth=1 latency=1 return=1");
  EXPECT_THAT(ns(run.channels[0].pushes), ElementsAre(1));
  EXPECT_THAT(ns(run.channels[0].pops), ElementsAre(8)) << "there at 3, first edge 4, two more";
}

TEST(Channel, AnEndWithoutAClockSeesItsNeighboursTheInstantTheyAreThere) {
  const auto run = run_both(R"(run limit=1000000000
    actor source clock=1000000000/1 done=pushed/2 { push }
    actor link { read wait a=2500000 push }
    actor sink clock=1000000000/1 { pull }
    channel source 0 link 0 depth=1 latency=1 return=1200000
    channel link 0 sink 0 depth=1 latency=700000 return=1)");
  EXPECT_THAT(ns(run.channels[0].pops), ElementsAre(1, 4));
  // Popped at 1 ns, back at 2.2 ns, the next edge is 3 ns.
  EXPECT_THAT(ns(run.channels[0].pushes), ElementsAre(0, 3));
  // Out at 3.5 and 6.5 ns; 0.7 ns on their way.
  EXPECT_EQ(run.channels[1].pushes[0].time, 3'500'000);
  EXPECT_EQ(run.channels[1].pushes[1].time, 6'500'000);
  EXPECT_THAT(ns(run.channels[1].pops), ElementsAre(5, 8));
}

TEST(Step, TheNextOneStartsAnInitiationIntervalLaterAndLaterStillByWhatItWasBlocked) {
  const auto run = run_pair("clock=1000000000/1 ii=3 done=pushed/3 { push }", "clock=1000000000/1 { pull }",
                            "depth=1 latency=1 return=5");
  // The step of 3 waits from 3 to 6, so the next starts at 9; it waits for the slot that is back at 12.
  EXPECT_THAT(ns(run.channels[0].pushes), ElementsAre(0, 6, 12));
  EXPECT_THAT(ns(run.actors[0]), ElementsAre(9, 0, 6, 15));
}

TEST(Step, APortMovesOneTokenACycleSoTheSecondPushAdvances) {
  const auto run = run_pair("clock=1000000000/1 ii=3 done=pushed/6 { push push }", "clock=1000000000/1 { pull }",
                            "depth=8 latency=1 return=1");
  EXPECT_THAT(ns(run.channels[0].pushes), ElementsAre(0, 1, 3, 4, 6, 7));
}

TEST(Step, ThatAdvancesBeyondItsIntervalEndsOneCycleAfterItsLastAccess) {
  const auto run = run_pair("clock=1000000000/1 ii=2 done=pushed/6 { push push push }", "clock=1000000000/1 { pull }",
                            "depth=8 latency=1 return=1");
  EXPECT_THAT(ns(run.channels[0].pushes), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Step, AQuestionAskedAgainAfterANoAdvances) {
  const auto run = run_pair("clock=1000000000/1 done=pushed/1 { wait_until a=5000000 push }",
                            "clock=1000000000/1 done=pulled/1 { peek peek front pull }", "depth=8 latency=2 return=1");
  // Steps of 3 cycles while all is silent: 0, 3, 6; visible at 7, so 6: no, 7: yes twice and the pull.
  EXPECT_THAT(ns(run.channels[0].pops), ElementsAre(7));
  EXPECT_EQ(run.time, 8 * kNs);
}

TEST(Step, AFailedPullIsAnAccessAndNoQuestion) {
  const auto run = run_pair("clock=1000000000/1 done=pushed/1 { wait_until a=5000000 push }",
                            "clock=1000000000/1 done=pulled/1 { pull peek closed pull }", "depth=8 latency=2 return=1");
  // Steps of 2 cycles: pull, peek and closed at an even cycle, the second pull at an odd one.
  EXPECT_THAT(ns(run.channels[0].pops), ElementsAre(7));
}

TEST(Step, WaitsUntilTheFirstEdgeNotBefore) {
  const auto run = run_pair("clock=1000000000/3 done=pushed/3 { push wait_until a=7000000 push wait_until a=8000000 }",
                            "clock=1000000000/3 { pull }", "depth=8 latency=1 return=1");
  EXPECT_THAT(ns(run.channels[0].pushes), ElementsAre(0, 9, 12, 15));
}

TEST(Step, GoesOnAtTheLaterTimeAfterABlock) {
  const auto run = run_both(R"(run limit=1000000000
    actor a clock=1000000000/1 done=pushed/2 { wait_until a=4000000 push }
    actor b clock=1000000000/1 { read push read push }
    actor c clock=1000000000/1 { read }
    channel a 0 b 0 depth=4 latency=1 return=1
    channel b 0 c 0 depth=4 latency=1 return=1)");
  EXPECT_THAT(ns(run.channels[0].pops), ElementsAre(5, 6));
  EXPECT_THAT(ns(run.channels[1].pushes), ElementsAre(5, 6));
  EXPECT_THAT(ns(run.actors[1]), ElementsAre(2, 5, 0, 7));
}

TEST(Step, TheInitiationIntervalEndsWhatABlockedReadBegan) {
  const auto run = run_pair("clock=1000000000/1 done=pushed/3 { wait_until a=4000000 push }",
                            "clock=1000000000/1 ii=4 done=pulled/3 { read }", "depth=4 latency=1 return=1");
  EXPECT_THAT(ns(run.channels[0].pops), ElementsAre(5, 9, 13));
  EXPECT_THAT(ns(run.actors[1]), ElementsAre(12, 5, 0, 17));
}

TEST(Closing, AReadOnAClosedAndDrainedChannelFinishesTheActorThere) {
  const auto run = run_both(R"(run limit=1000000000
    actor a clock=1000000000/1 done=pushed/2 { wait_until a=3000000 push }
    actor b clock=1000000000/1 ii=2 done=pushed/100 { read push }
    actor c clock=1000000000/1 { read }
    channel a 0 b 0 depth=4 latency=3 return=1
    channel b 0 c 0 depth=4 latency=2 return=1)");
  // Pushed at 3 and 4, visible at 6 and 7; a finishes at 5, seen at 8; b steps at 0 (+6), 8 and 10.
  EXPECT_THAT(ns(run.channels[0].pops), ElementsAre(6, 8));
  EXPECT_EQ(run.actors[1].finish, 10 * kNs);
  EXPECT_EQ(run.actors[2].finish, 12 * kNs);
}

TEST(Closing, IsAskedForWhereTheNextStepWouldStart) {
  const auto run = run_pair("clock=1000000000/1 done=pushed/1 { push }", "clock=1000000000/1 ii=4 { pull }",
                            "depth=4 latency=1 return=1");
  EXPECT_THAT(ns(run.channels[0].pops), ElementsAre(4));
  EXPECT_EQ(run.time, 8 * kNs);
}

TEST(Closing, AnActorWhoseDoneHoldsFromTheStartNeverSteps) {
  const auto run = run_pair("clock=1000000000/1 phase=1/2 done=pushed/0 { push }",
                            "clock=1000000000/1 phase=1/2 { pull }", "depth=4 latency=1 return=1");
  EXPECT_TRUE(run.channels[0].pushes.empty());
  EXPECT_EQ(run.actors[0].finish, 500'000);
  EXPECT_EQ(run.actors[0].lifetime, 0);
  EXPECT_EQ(run.time, 1'500'000);
}

TEST(Clockless, AStepIsRepeatedAtOnceAfterOneThatMovedAToken) {
  const auto run = run_pair("done=pushed/3 { push }", "{ pull }", "depth=8 latency=5000000 return=1000000");
  EXPECT_THAT(ns(run.channels[0].pushes), ElementsAre(0, 0, 0));
  EXPECT_THAT(ns(run.channels[0].pops), ElementsAre(5, 5, 5));
  EXPECT_EQ(run.time, 5 * kNs);
  EXPECT_THAT(ns(run.actors[1]), ElementsAre(0, 5, 0, 5));
}

TEST(Clockless, ABlockedPushEndsTheInstantTheSlotIsFree) {
  const auto run = run_pair("done=pushed/3 { push wait a=1000000 }", "{ pull wait a=1500000 }",
                            "depth=1 latency=2000000 return=1300000");
  // The sink waits from 0 to 1.5, 3.0; pops at 3.0; the slot is back at 4.3; the token is there at 6.3; it looks at 7.5
  EXPECT_EQ(run.channels[0].pushes[1].time, 4'300'000);
  EXPECT_EQ(run.channels[0].pops[1].time, 7'500'000);
  EXPECT_EQ(run.channels[0].pushes[2].time, 8'800'000);
}

TEST(Clockless, SleepsUntilAnAnswerTurns) {
  const auto run = run_both(R"(run limit=1000000000
    actor a done=pushed/3 { wait a=4000000 push }
    actor b done=pushed/1 { peek if_last { pull wait a=500000 push } }
    actor c done=pulled/1 { read }
    channel a 0 b 0 depth=8 latency=1000000 return=1000000
    channel b 0 c 0 depth=8 latency=1000000 return=1000000)");
  EXPECT_THAT(ns(run.channels[0].pops), ElementsAre(5));
  EXPECT_EQ(run.channels[1].pushes[0].time, 5'500'000);
  EXPECT_EQ(run.actors[1].finish, 5'500'000) << "done() is asked when the step ends";
  EXPECT_EQ(run.actors[1].starved, 5 * kNs);
}

TEST(Clockless, AskingNothingSleepsUntilAllInputsAreClosed) {
  const auto run =
      run_pair("done=counted/1 { wait a=4000000 count }", "{ count }", "depth=8 latency=1000000 return=1000000");
  EXPECT_EQ(run.actors[1].finish, 5 * kNs);
  EXPECT_EQ(run.actors[1].state->regs[0], 1u) << "one step at 0, then none";
}

TEST(ActorActivity, ASilentStepStarvesThroughAndAWaitIsBusy) {
  const auto run = run_pair("clock=1000000000/1 done=pushed/1 { wait_until a=10000000 push }",
                            "clock=1000000000/1 ii=3 done=pulled/1 { peek peek pull }", "depth=2 latency=1 return=1");
  // The sink: 0, 3, 6, 9: silent; within that of 9: no at 9, no at 10, and the pull at 10 is not early enough; 12: yes.
  EXPECT_THAT(ns(run.channels[0].pops), ElementsAre(12));
  EXPECT_THAT(ns(run.actors[0]), ElementsAre(11, 0, 0, 11));
  EXPECT_THAT(ns(run.actors[1]), ElementsAre(3, 12, 0, 15));
}

TEST(ActorActivity, AStepThatTheEndCutsIsBusyButForItsWaits) {
  const auto run = run_both(R"(run limit=5000000
    actor a clock=1000000000/1 done=pushed/100 { push }
    actor b clock=1000000000/1 ii=4 done=pulled/100 { peek }
    channel a 0 b 0 depth=2 latency=1 return=1)");
  EXPECT_EQ(run.end, End::limit);
  EXPECT_EQ(run.time, 5 * kNs);
  EXPECT_THAT(ns(run.actors[0]), ElementsAre(2, 0, 3, 5));
  EXPECT_THAT(ns(run.actors[1]), ElementsAre(1, 4, 0, 5));
}

}  // namespace
}  // namespace isthmus::reference
