// The native back end: closing, errors, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "actors.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

class NativeEnding : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Native, NativeEnding, testing::Values(1, 2, 3));

/// Asks without waiting, and notes what it was told after the close.
struct Asker {
  In<int> in;
  std::vector<int> got;
  bool pulled_after_close = true;
  bool over = false;
  void step() {
    int token = 0;
    if (in.pull(token)) got.push_back(token);
    if (!in.closed()) return;
    pulled_after_close = in.pull(token);
    over = true;
  }
  bool done() const { return over; }
};

TEST_P(NativeEnding, APullAfterTheCloseFindsNothingAndNothingWasLost) {
  Pair<Source, Asker> pair(4);
  native::run(pair.graph, {.workers = GetParam()});
  EXPECT_EQ(pair.sink.got, upto(kCount));
  EXPECT_FALSE(pair.sink.pulled_after_close);
}

/// Counts its steps, the last of which may find the channel closed.
struct Counting {
  In<int> in;
  int steps = 0;
  int sum = 0;
  void step() {
    ++steps;
    sum += in.read();
  }
};
/// Finishes a while after its last token.
struct Lingering {
  Out<int> out;
  Timer timer;
  int steps = 0;
  void step() {
    if (steps == 0) out.push(7);
    ++steps;
    timer.wait(Time::ns(1));
  }
  bool done() const { return steps == 20; }
};

TEST_P(NativeEnding, AStepThatBeginsBeforeTheCloseIsSeenEndsAtItsReadAsOnTheModel) {
  const auto steps_beyond_tokens = [](auto& source, Graph& graph, const auto& run) {
    auto& counting = graph.add<Counting>("counting");
    graph.connect(source.out, counting.in, wire(4));
    const auto tokens = static_cast<int>(run(graph).channels.front().popped);
    return counting.steps - tokens;
  };
  const auto on_threads = [](Graph& graph) { return native::run(graph, {.workers = GetParam()}); };
  Graph late;
  EXPECT_EQ(steps_beyond_tokens(late.add<Lingering>("source"), late, [](Graph& graph) { return graph.run(); }), 1)
      << "its writer finishes after the next step has begun";
  Graph graph;
  const int beyond = steps_beyond_tokens(graph.add<Source>("source"), graph, on_threads);
  EXPECT_TRUE(beyond == 0 || beyond == 1) << beyond;
}

struct Thrower {
  In<int> in;
  int after = 100;
  void step() {
    in.read();
    if (--after == 0) throw std::runtime_error("the consumer died");
  }
};

/// Notes that its step was unwound.
struct Guarded {
  Out<int> out;
  int* unwound = nullptr;
  struct Guard {
    int* count;
    ~Guard() { ++*count; }
  };
  void step() {
    const Guard guard{unwound};
    for (;;) out.push(1);
  }
  bool done() const { return false; }
};

TEST_P(NativeEnding, AConsumerThatThrowsEndsTheRunAndUnwindsItsProducer) {
  Pair<Guarded, Thrower> pair(8);
  int unwound = 0;
  pair.source.unwound = &unwound;
  EXPECT_THAT([&] { native::run(pair.graph, {.workers = GetParam()}); },
              ThrowsMessage<Error>(AllOf(HasSubstr("sink"), HasSubstr("the consumer died"))));
  EXPECT_EQ(unwound, 1);
}

TEST_P(NativeEnding, AProducerWhoseConsumerHasFinishedGetsAnError) {
  Pair<Source, Quitter> pair(8);
  const auto report = native::run(pair.graph, {.workers = GetParam(), .throw_on_error = false});
  EXPECT_EQ(report.outcome, Outcome::stuck);
  EXPECT_THAT(report.message, AllOf(HasSubstr("source"), HasSubstr("sink has finished")));
  EXPECT_EQ(report.channels.front().popped, 10);
  EXPECT_EQ(report.channels.front().pushed, 18);
}

TEST_P(NativeEnding, ActorsThatWaitForEachOtherAreNamed) {
  Ring<Pong, Pong> ring(2);
  EXPECT_THAT(
      [&] { native::run(ring.graph, {.workers = GetParam()}); },
      ThrowsMessage<Error>(AllOf(HasSubstr("deadlock"), HasSubstr("one waits for a token of 'other.out -> one.in'"))));
}

struct Mute {
  Out<int> out;
  In<int> in;
  void step() { in.pull(); }
  bool done() const { return false; }
};

TEST_P(NativeEnding, ARunInWhichNothingCanEverMoveAgainEnds) {
  Ring<Mute, Mute> ring(2);
  const auto report = native::run(ring.graph, {.workers = GetParam(), .throw_on_error = false});
  EXPECT_EQ(report.outcome, Outcome::quiescent);
  EXPECT_THAT(report.message, AllOf(HasSubstr("one waits for news"), HasSubstr("other waits for news")));
}

/// Asks nothing, moves nothing, and never says that it is done.
struct Dead {
  Out<int> out;
  int seen = 7;
  void step() { seen = seen % 8; }
  bool done() const { return false; }
};

TEST_P(NativeEnding, AnActorThatStepsForEverButDoesNothingHoldsNoRunUp) {
  Graph graph;
  auto& dead = graph.add<Dead>("dead", {.clock = Clock{Frequency::mhz(100)}});
  auto& sink = graph.add<Sink>("sink");
  graph.connect(dead.out, sink.in, {.depth = 2, .return_latency_time = Time::ns(1)});
  const auto report = native::run(graph, {.workers = GetParam(), .throw_on_error = false});
  EXPECT_EQ(report.outcome, Outcome::quiescent);
  EXPECT_THAT(report.message, AllOf(HasSubstr("dead waits for news"), HasSubstr("sink waits for a token")));
}

TEST_P(NativeEnding, OfALongDeadlockAFewActorsAreNamedAndTheOthersCounted) {
  Graph graph;
  std::vector<Pong*> ring;
  for (int i = 0; i < 60; ++i) ring.push_back(&graph.add<Pong>("actor " + std::to_string(i)));
  for (std::size_t i = 0; i < ring.size(); ++i) graph.connect(ring[i]->out, ring[(i + 1) % ring.size()]->in, wire(2));
  const auto report = native::run(graph, {.workers = GetParam(), .throw_on_error = false});
  EXPECT_EQ(report.outcome, Outcome::deadlock);
  EXPECT_THAT(report.message, HasSubstr(", and 28 more"));
}

struct Beat {
  static constexpr bool periodic = true;
  Out<int> out;
  void step() { out.push(1); }
};

TEST_P(NativeEnding, PeriodicActorsEndWithTheOthers) {
  Pair<Beat, Quitter> pair(4);
  const auto report = native::run(pair.graph, {.workers = GetParam()});
  EXPECT_EQ(report.outcome, Outcome::finished);
  EXPECT_EQ(report.channels.front().popped, 10);
}

TEST(NativeRun, RefusesWhatTheModelRefuses) {
  Graph graph;
  graph.add<Sink>("sink");
  EXPECT_THAT([&] { native::run(graph); }, ThrowsMessage<Error>(HasSubstr("sink.in is not connected")));
  Pair pair;
  native::run(pair.graph);
  EXPECT_THAT([&] { native::run(pair.graph); }, ThrowsMessage<Error>(HasSubstr("runs once")));
  EXPECT_THAT([&] { pair.graph.run(); }, ThrowsMessage<Error>(HasSubstr("runs once")));
}

}  // namespace
}  // namespace isthmus
