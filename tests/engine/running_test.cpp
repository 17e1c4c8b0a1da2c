// How a run ends that goes wrong: by a step that fails, by the end of time, or by nothing at all.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <isthmus/engine/graph.hpp>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/refusal.hpp"
#include "engine/small_actors.hpp"

namespace isthmus::reference {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

/// As many relays in a ring as are given, with nothing to relay.
void add_ring(Graph& graph, const std::string& name, int actors) {
  std::vector<Relay*> relays;
  for (int i = 0; i < actors; ++i) relays.push_back(&graph.add<Relay>(fmt::format("{}{}", name, i), {.clock = kClock}));
  for (std::size_t i = 0; i < relays.size(); ++i) graph.connect(relays[i]->out, relays[(i + 1) % relays.size()]->in);
}

TEST(Running, ADeadlockNamesTheShortestCycleAndHowManyMore) {
  Graph graph;
  add_ring(graph, "a", 50);
  add_ring(graph, "b", 3);
  const auto small = graph.run({.throw_on_error = false});
  EXPECT_EQ(small.outcome, Outcome::deadlock);
  EXPECT_THAT(small.message, AllOf(HasSubstr("b0 waits"), HasSubstr("b1 waits"), HasSubstr("b2 waits")));
  EXPECT_THAT(small.message, ::testing::Not(HasSubstr("a0 ")));
  Graph large;
  add_ring(large, "actor with a longer name ", 2000);
  const auto report = large.run({.throw_on_error = false});
  EXPECT_EQ(report.outcome, Outcome::deadlock);
  EXPECT_THAT(report.message, HasSubstr(", and 1968 more"));
  EXPECT_LT(report.message.size(), 5000U);
}

struct Failing {
  In<int> in;
  int seen = 0;
  void step() {
    in.read();
    if (++seen == 3) throw Error("the third token is too much");
  }
};

TEST(Running, AnExceptionInAStepEndsTheRunWithTheActorAndTheTime) {
  Graph graph;
  add_fed<Failing>(graph);
  const auto report = graph.run({.throw_on_error = false});
  EXPECT_EQ(report.outcome, Outcome::failed);
  EXPECT_EQ(report.end, Time::ns(3));
  EXPECT_THAT(report.message, AllOf(HasSubstr("sink"), HasSubstr("3 ns"), HasSubstr("the third token is too much")));
}

TEST(Running, AnErrorIsThrownUnlessTheRunSaysOtherwise) {
  Graph graph;
  add_fed<Failing>(graph);
  EXPECT_THAT(refusal([&] { graph.run(); }), AllOf(HasSubstr("sink"), HasSubstr("the third token is too much")));
}

/// Lets no exception through: in each step once, or for ever in one.
struct Catcher {
  In<int> in;
  Out<int> out;
  bool leaves = true;
  void step() {
    do {
      try {
        in.read();
      } catch (...) {
      }
    } while (!leaves);
  }
  bool done() const { return false; }
};

class Catching : public ::testing::TestWithParam<std::tuple<bool, bool>> {
 protected:
  static constexpr ChannelOptions kWire{.latency_time = Time::ns(1), .return_latency_time = Time::ns(1)};
  Catcher& add(const std::string& name) {
    auto& catcher = graph.add<Catcher>(name, {.clock = clock()});
    catcher.leaves = std::get<1>(GetParam());
    return catcher;
  }
  static std::optional<Clock> clock() { return std::get<0>(GetParam()) ? std::optional(kClock) : std::nullopt; }
  static ChannelOptions wire() { return std::get<0>(GetParam()) ? ChannelOptions{} : kWire; }
  Graph graph;
};
INSTANTIATE_TEST_SUITE_P(ClockedOrNot, Catching, ::testing::Combine(::testing::Bool(), ::testing::Bool()));

TEST_P(Catching, WhoCatchesTheEndOfItsInputHasFailedByName) {
  auto& source = graph.add<Source>("source", {.clock = clock()});
  auto& catcher = add("catcher");
  auto& sink = graph.add<Sink>("sink", {.clock = clock()});
  graph.connect(source.out, catcher.in, wire());
  graph.connect(catcher.out, sink.in, wire());
  const auto report = graph.run({.throw_on_error = false});
  EXPECT_EQ(report.outcome, Outcome::failed);
  EXPECT_THAT(report.message, AllOf(HasSubstr("catcher failed at "), HasSubstr("catch (...) around a port")));
}

TEST_P(Catching, WhoCatchesTheEndOfTheRunIsWarnedOf) {
  auto& one = add("one");
  auto& two = add("two");
  graph.connect(one.out, two.in, wire());
  graph.connect(two.out, one.in, wire());
  const auto report = graph.run({.throw_on_error = false});
  EXPECT_EQ(report.outcome, Outcome::deadlock);
  EXPECT_THAT(report.warnings, IsSupersetOf({HasSubstr("one caught"), HasSubstr("two caught")}));
}

struct Spinning {
  In<int> in;
  void step() {
    int value = 0;
    while (in.peek(value)) {
    }
  }
};

TEST(Running, AMillionOperationsAtOneInstantAreAnError) {
  Graph graph;
  add_fed<Spinning>(graph, {}, {.return_latency_time = Time::ns(1)});
  const auto report = graph.run({.throw_on_error = false});
  EXPECT_EQ(report.outcome, Outcome::failed);
  EXPECT_THAT(report.message, AllOf(HasSubstr("sink"), HasSubstr("million operations")));
}

/// Asks for ever, whatever it is told.
struct Asker {
  In<int> in;
  void step() {
    for (;;) try {
        in.pull();
      } catch (...) {
      }
  }
};

TEST(Running, WhoCatchesThatItAsksForEverHasFailedByName) {
  Graph graph;
  add_fed<Asker>(graph, {}, {.return_latency_time = Time::ns(1)});
  const auto report = graph.run({.throw_on_error = false});
  EXPECT_EQ(report.outcome, Outcome::failed);
  EXPECT_THAT(report.message, AllOf(HasSubstr("sink failed at "), HasSubstr("catch (...)")));
}

TEST(Running, AClockThatPassesTheEndOfTimeEndsTheRunAndSaysSo) {
  Graph graph;
  const Clock hours{{1, 3600}, 0, 1, ""};  // the third edge is the last one
  auto& source = graph.add<Source>("source", {.clock = hours});
  auto& sink = graph.add<Sink>("sink", {.clock = hours});
  graph.connect(source.out, sink.in);
  const auto report = graph.run({.throw_on_error = false});
  EXPECT_EQ(report.outcome, Outcome::failed);
  EXPECT_THAT(report.message, HasSubstr("end of time"));
}

/// Counts how often it looked, so that it is never idle.
struct Watching {
  In<int> in;
  Timer timer;
  int looks = 0;
  void step() {
    in.pull();
    ++looks;
    timer.wait(Time::us(1));
  }
};
struct Silent {
  Out<int> out;
  void step() {}
  bool done() const { return false; }
};

std::vector<std::string> said_of_a_stall(std::chrono::nanoseconds patience, int watchers) {
  Graph graph;
  for (int i = 0; i < watchers; ++i) {
    auto& silent = graph.add<Silent>(fmt::format("silent{}", i), {.clock = kClock});
    auto& watching = graph.add<Watching>(fmt::format("watching{}", i));
    graph.connect(silent.out, watching.in, {.return_latency_time = Time::ns(1)});
  }
  std::vector<std::string> said;
  graph.run({.limit = Time::ms(40), .patience = patience, .tell = [&](const auto& line) { said.push_back(line); }});
  return said;
}

TEST(Running, WhoStillStepsWhereNothingMovesIsSaidOnce) {
  using std::chrono::nanoseconds;
  EXPECT_THAT(said_of_a_stall(nanoseconds(0), 1),
              ElementsAre(AllOf(HasSubstr("no token has moved for"), EndsWith("still stepping: watching0"))));
  EXPECT_THAT(said_of_a_stall(nanoseconds(0), 40), ElementsAre(EndsWith(", watching31, and 8 more")));
  EXPECT_THAT(said_of_a_stall(std::chrono::hours(1), 1), IsEmpty());
}

/// Not trivially copyable. One waits in vain, the other never.
struct Poller {
  In<int> in;
  std::string text;
  void step() { in.pull(); }
};

TEST(Running, AtTheEndOfTimeOnlyThoseThatPolledAreSaidToBeSteppedAtEveryInterval) {
  Graph graph;
  const Clock hours{{1, 3600}, 0, 1, ""};
  auto& source = graph.add<Source>("source", {.clock = hours});
  auto& poller = graph.add<Poller>("poller", {.clock = hours});
  auto& other = graph.add<Source>("other", {.clock = hours});
  auto& sink = graph.add<Sink>("sink", {.clock = hours});
  graph.connect(source.out, poller.in, {.latency = 2});
  graph.connect(other.out, sink.in, {.depth = 16});
  const auto report = graph.run({.throw_on_error = false});
  EXPECT_THAT(report.message, HasSubstr("end of time"));
  const auto polls = [](const auto& text) { return text.find("stepped at every interval") != std::string::npos; };
  std::vector<std::string> said;
  std::ranges::copy_if(report.warnings, std::back_inserter(said), polls);
  EXPECT_THAT(said, ElementsAre(HasSubstr("poller is")));
}

TEST(Running, ALimitThatLiesBeforeTheFirstEdgeLeavesNothingDone) {
  Graph graph;
  auto& source = graph.add<Source>("source", {.clock = Clock{Frequency::mhz(1), 1, 2, ""}});
  auto& sink = graph.add<Sink>("sink", {.clock = kClock});
  graph.connect(source.out, sink.in);
  const auto report = graph.run({.limit = Time::ns(100)});
  EXPECT_EQ(report.outcome, Outcome::limit);
  EXPECT_EQ(report.channels[0].pushed, 0u);
  EXPECT_EQ(report.actor("source").lifetime, Time());
  EXPECT_EQ(report.actor("sink").lifetime, Time::ns(100));
}

struct RandomSource {
  Out<std::uint64_t> out;
  Random random;
  int sent = 0;
  void step() {
    out.push(random.next());
    ++sent;
  }
  bool done() const { return sent == 20; }
};
struct Collector {
  In<std::uint64_t> in;
  std::uint64_t first = 0;
  void step() {
    std::uint64_t value = 0;
    if (in.pull(value) && first == 0) first = value;
  }
};
std::uint64_t first_number(std::uint64_t seed, const std::string& name) {
  Graph graph(seed);
  auto& source = graph.add<RandomSource>(name, {.clock = kClock});
  auto& sink = graph.add<Collector>("sink", {.clock = kClock});
  graph.connect(source.out, sink.in);
  graph.run();
  return sink.first;
}

TEST(Running, RandomNumbersComeFromTheSeedAndTheNameAlone) {
  EXPECT_EQ(first_number(1, "a"), first_number(1, "a"));
  EXPECT_NE(first_number(1, "a"), first_number(2, "a"));
  EXPECT_NE(first_number(1, "a"), first_number(1, "b"));
}

}  // namespace
}  // namespace isthmus::reference
