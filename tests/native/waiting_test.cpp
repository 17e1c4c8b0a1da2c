// The native back end: turns, waits for a time, and steps that move nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "actors.hpp"

namespace isthmus {
namespace {

using testing::SizeIs;

class NativeWaiting : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Native, NativeWaiting, testing::Values(1, 2, 3));

/// Asks for an answer until it is another: the two of them are always ready.
struct Impatient {
  In<int> in;
  Out<int> out;
  int answer = 0;
  void step() {
    out.push(0);
    answer = in.read();
  }
  bool done() const { return answer != 0; }
};
struct Answering {
  In<int> in;
  Out<int> out;
  In<int> news;
  int answer = 0;
  void step() {
    in.read();
    news.pull(answer);
    out.push(answer);
  }
  bool done() const { return answer != 0; }
};
struct Late {
  Out<int> out;
  bool said = false;
  void step() {
    out.push(7);
    said = true;
  }
  bool done() const { return said; }
};

TEST_P(NativeWaiting, TwoActorsThatServeEachOtherDoNotKeepAThirdWaiting) {
  Graph graph;
  auto& impatient = graph.add<Impatient>("impatient");
  auto& answering = graph.add<Answering>("answering");
  auto& late = graph.add<Late>("late");
  graph.connect(impatient.out, answering.in, wire(1));
  graph.connect(answering.out, impatient.in, wire(1));
  graph.connect(late.out, answering.news, wire(1));
  native::run(graph, {.workers = GetParam()});
  EXPECT_EQ(impatient.answer, 7);
}

struct Ticker {
  Out<Time> out;
  Timer timer;
  int left = 5;
  void step() {
    const Time asked = timer.now() + Time::us(200);
    timer.wait(Time::us(200));
    out.push(timer.now() - asked);
    --left;
  }
  bool done() const { return left == 0; }
};
struct Times {
  In<Time> in;
  std::vector<Time> got;
  void step() { got.push_back(in.read()); }
};

TEST_P(NativeWaiting, AWaitLastsAtLeastAsLongAsWasAsked) {
  Pair<Ticker, Times> pair(2);
  native::run(pair.graph, {.workers = GetParam()});
  ASSERT_THAT(pair.sink.got, SizeIs(5));
  for (const Time late : pair.sink.got) EXPECT_GE(late, Time());
}

/// Counts its own silent steps: a change of state that no channel shows.
struct Patient {
  In<int> in;
  Out<int> out;
  int steps = 0;
  void step() {
    if (in.pull() || ++steps != 1000) return;
    out.push(steps);
  }
  bool done() const { return steps == 1000; }
};

TEST_P(NativeWaiting, AnActorThatCountsItsStepsIsNotPutToSleep) {
  Graph graph;
  auto& patient = graph.add<Patient>("patient", {.clock = Clock{Frequency::mhz(100)}});
  auto& pong = graph.add<Pong>("pong", {.clock = Clock{Frequency::mhz(100)}});
  graph.connect(patient.out, pong.in);
  graph.connect(pong.out, patient.in);
  native::run(graph, {.workers = GetParam()});
  EXPECT_EQ(patient.steps, 1000);
}

struct Sieve {
  In<int> in;
  Out<int> out;
  void step() {
    if (const int number = in.read(); number % 1000 == 0) out.push(number);
  }
};
struct Asking {
  In<int> in;
  int got = 0;
  int vain = 0;
  void step() { ++(in.pull() ? got : vain); }
};

TEST(NativeTurns, AnActorThatAsksItsOnlyInputInVainLetsOthersGoFirst) {
  const ActorOptions clocked{.clock = Clock{Frequency::mhz(100)}};
  Graph graph;
  auto& source = graph.add<Source>("source", clocked);
  auto& sieve = graph.add<Sieve>("sieve", clocked);
  auto& asking = graph.add<Asking>("asking", clocked);
  graph.connect(source.out, sieve.in, {.depth = 1});
  graph.connect(sieve.out, asking.in);
  native::run(graph, {.workers = 1});
  EXPECT_EQ(asking.got, kCount / 1000);
  EXPECT_LT(asking.vain, kCount / 10);
}

/// Note the time around each move; the reader stalls now and then.
struct Punctual {
  Out<int> out;
  Timer timer;
  std::vector<Time> pushed;
  void step() {
    out.push(static_cast<int>(pushed.size()));
    pushed.push_back(timer.now());
  }
  bool done() const { return pushed.size() == 300; }
};
struct Stalling {
  In<int> in;
  Timer timer;
  std::vector<Time> asked;
  std::vector<int> got;
  void step() {
    if (got.size() % 100 == 50) timer.wait(Time::us(500));
    asked.push_back(timer.now());
    got.push_back(in.read());
  }
};

TEST_P(NativeWaiting, AStalledReaderHoldsItsWriterAtTheDepthAndLosesNothing) {
  constexpr std::size_t depth = 4;
  Pair<Punctual, Stalling> pair(depth);
  native::run(pair.graph, {.workers = GetParam()});
  EXPECT_EQ(pair.sink.got, upto(300));
  for (std::size_t i = depth; i < 300; ++i)
    EXPECT_GE(pair.source.pushed[i], pair.sink.asked[i - depth]) << "token " << i;
}

}  // namespace
}  // namespace isthmus
