// Arrays of ports whose count is known when their actor is made.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <isthmus/engine/graph.hpp>
#include <utility>
#include <vector>

#include "base/refusal.hpp"
#include "engine/small_actors.hpp"

namespace isthmus::reference {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Passes each token on to the output of the place that it names, whatever input it comes by.
struct Switch {
  PortArray<In<int>> in;
  PortArray<Out<int>> out;
  int* steps = nullptr;
  void step() {
    if (steps != nullptr) ++*steps;
    for (auto& each : in) {
      int token = 0;
      if (each.pull(token)) out[static_cast<std::size_t>(token) % out.size()].push(token);
    }
  }
};
static_assert(std::is_trivially_copyable_v<Switch>);

/// The tokens `first`, `first + stride`, ..., one every so often.
struct Metronome {
  Out<int> out;
  Timer timer;
  int next = 0;
  int stride = 1;
  int count = 1;
  Time every = Time::ns(1);
  Time at = {};
  void step() {
    timer.wait_until(at);
    out.push(next);
    next += stride;
    at += every;
    --count;
  }
  bool done() const { return count == 0; }
};

struct Collector {
  In<int> in;
  std::vector<int> got{};
  void step() { got.push_back(in.read()); }
};

struct Named {
  PortArray<In<int>> requests;
  In<int> in;
  PortArray<Out<int>> replies;
  explicit Named(int count) : requests(count, "request"), replies(count) {}
  void step() { in.read(); }
};

TEST(PortArray, ItsPortsAreNamedByTheArrayOrByTheirPlacesAmongTheActors) {
  const auto named = [](int connected) {
    return refusal([&] {
      Graph graph;
      auto& part = graph.add<Named>("part", {.clock = kClock}, 2);
      for (int i = 0; i < connected; ++i) {
        auto& source = graph.add<Source>(fmt::format("source{}", i), {.clock = kClock});
        auto& input = i < 2 ? part.requests[static_cast<std::size_t>(i)] : part.in;
        graph.connect(source.out, input);
      }
      graph.check();
    });
  };
  EXPECT_THAT(named(0), HasSubstr("part.request[0] is not connected"));
  EXPECT_THAT(named(1), HasSubstr("part.request[1] is not connected"));
  EXPECT_THAT(named(2), HasSubstr("part.in2 is not connected")) << "as if the array were three members";
  EXPECT_THAT(named(3), HasSubstr("part.out0 is not connected"));
}

TEST(PortArray, RefusesACountBelowZeroAndAPlaceOutsideAGraph) {
  Graph graph;
  EXPECT_THAT(refusal([&] { graph.add<Switch>("switch", {.clock = kClock}, -1, 2); }), HasSubstr("-1 ports"));
  EXPECT_THAT(refusal([] { static_cast<void>(Switch{3, 3}); }), AllOf(HasSubstr("3 ports"), HasSubstr("Graph::add")));
}

TEST(PortArray, OfNoneHasNoPorts) {
  Graph graph;
  auto& named = graph.add<Named>("part", {.clock = kClock}, 0);
  auto& source = graph.add<Source>("source", {.clock = kClock});
  graph.connect(source.out, named.in);
  EXPECT_TRUE(named.requests.empty());
  EXPECT_EQ(named.replies.begin(), named.replies.end());
  EXPECT_EQ(graph.run().outcome, Outcome::finished);
}

TEST(PortArray, PortsOfTwoActorsOfAGraphAreTheirOwn) {
  Graph graph;
  auto& one = graph.add<Switch>("one", {.clock = kClock}, 1, 1);
  auto& two = graph.add<Switch>("two", {.clock = kClock}, 1, 1);
  auto& source = graph.add<Source>("source", {.clock = kClock});
  auto& sink = graph.add<Sink>("sink", {.clock = kClock});
  graph.connect(source.out, one.in[0]);
  graph.connect(one.out[0], two.in[0]);
  graph.connect(two.out[0], sink.in);
  graph.run();
  EXPECT_EQ(sink.got, source.count);
}

TEST(PortArray, OfSixtyFourPassesEachTokenToItsPlaceInOrder) {
  constexpr int kPorts = 64, kEach = 50;
  Graph graph;
  auto& crossbar = graph.add<Switch>("switch", {.clock = kClock}, kPorts, kPorts);
  std::vector<Collector*> collectors;
  for (int i = 0; i < kPorts; ++i) {
    const auto place = static_cast<std::size_t>(i);
    auto& source = graph.add<Metronome>(fmt::format("source{}", i), {.clock = kClock});
    source.next = 1000 * i;
    source.stride = 7;
    source.count = kEach;
    graph.connect(source.out, crossbar.in[place]);
    collectors.push_back(&graph.add<Collector>(fmt::format("sink{}", i), {.clock = kClock}));
    graph.connect(crossbar.out[place], collectors.back()->in);
  }
  graph.run();
  for (int place = 0; place < kPorts; ++place) {
    std::vector<std::vector<int>> expected(kPorts), got(kPorts);  // by source: the switch may mix those
    for (int source = 0; source < kPorts; ++source)
      for (int n = 0; n < kEach; ++n)
        if ((1000 * source + 7 * n) % kPorts == place)
          expected[static_cast<std::size_t>(source)].push_back(1000 * source + 7 * n);
    for (const int token : collectors[static_cast<std::size_t>(place)]->got)
      got[static_cast<std::size_t>(token / 1000)].push_back(token);
    EXPECT_EQ(got, expected) << "output " << place;
  }
}

TEST(PortArray, AnActorWithOneIsPutToSleepByComparison) {
  int steps = 0;
  Graph graph;
  auto& crossbar = graph.add<Switch>("switch", {.clock = kClock}, 3, 1);
  crossbar.steps = &steps;
  auto& sink = graph.add<Collector>("sink", {.clock = kClock});
  graph.connect(crossbar.out[0], sink.in);
  for (int i = 0; i < 3; ++i) {
    auto& source = graph.add<Metronome>(fmt::format("source{}", i), {.clock = kClock});
    source.next = i;
    source.count = 2;
    source.at = Time::us(3 + i);
    source.every = Time::us(100);
    graph.connect(source.out, crossbar.in[static_cast<std::size_t>(i)]);
  }
  const auto report = graph.run();
  EXPECT_EQ(sink.got, (std::vector{0, 1, 2, 0 + 1, 1 + 1, 2 + 1}));
  EXPECT_GT(report.end, Time::us(105));
  EXPECT_LT(steps, 100) << "of 105 000 cycles";
}

/// Gives up after so many silent steps.
struct Impatient {
  PortArray<In<int>> in;
  int patience = 0;
  PortArray<Out<int>> out;
  int silent = 0;
  void step() {
    bool any = false;
    for (auto& each : in) any = each.pull() || any;
    silent = any ? 0 : silent + 1;
    if (silent == patience) out[0].push(silent);
  }
  bool done() const { return silent == patience; }
};

TEST(PortArray, WhatLiesBetweenAndBehindArraysIsState) {
  Graph graph;
  auto& impatient = graph.add<Impatient>("impatient", {.clock = kClock}, 2, 5000, 1);
  auto& sink = graph.add<Collector>("sink", {.clock = kClock});
  graph.connect(impatient.out[0], sink.in);
  for (int i = 0; i < 2; ++i) {
    auto& source = graph.add<Metronome>(fmt::format("source{}", i), {.clock = kClock});
    source.at = i == 0 ? Time::ns(100) : Time::us(50);
    graph.connect(source.out, impatient.in[static_cast<std::size_t>(i)]);
  }
  const auto report = graph.run();
  EXPECT_EQ(sink.got, std::vector{5000});
  EXPECT_NEAR(report.actor("impatient").finish.seconds() * 1e9, 5100, 10) << "the first token and 5000 cycles later";
}

/// Cannot be compared, and says that only its ports can wake it.
struct Waiting {
  PortArray<In<int>> in;
  Timer timer{};
  int* steps = nullptr;
  std::vector<int> got{};
  void step() {
    ++*steps;
    bool any = false;
    for (auto& each : in) {
      int token = 0;
      if (!each.pull(token)) continue;
      got.push_back(token);
      any = true;
    }
    if (!any) timer.wait(in);
  }
};

TEST(PortArray, ATimerWaitsForAnyOfItsPorts) {
  int steps = 0;
  Graph graph;
  auto& waiting = graph.add<Waiting>("waiting", {.clock = kClock}, 4);
  waiting.steps = &steps;
  for (int i = 0; i < 4; ++i) {
    auto& source = graph.add<Metronome>(fmt::format("source{}", i), {.clock = kClock});
    source.next = i;
    source.at = Time::us(40 - 10 * i);
    graph.connect(source.out, waiting.in[static_cast<std::size_t>(i)]);
  }
  graph.run();
  EXPECT_EQ(waiting.got, (std::vector{3, 2, 1, 0}));
  EXPECT_LT(steps, 40) << "of 40 000 cycles";
}

/// Asks its inputs for their heads and takes those that are there. `together`: by `poll_heads`, else one by one.
struct Asking {
  PortArray<In<int>> in;
  Timer timer{};
  bool together = true;
  int again = -1;  ///< an input that is asked once more, before the others or after
  bool before = false;
  std::vector<std::pair<Time, int>>* got = nullptr;

  void step() {
    if (again >= 0 && before) ask(static_cast<std::uint32_t>(again));
    if (together) {
      for (const auto place : in.poll_heads()) ask(place);
    } else {
      for (std::uint32_t place = 0; place < in.size(); ++place) ask(place);
    }
    if (again >= 0 && !before) ask(static_cast<std::uint32_t>(again));
  }
  void ask(std::uint32_t place) {
    if (in[place].front() == nullptr) return;
    int token = 0;
    in[place].pull(token);
    got->emplace_back(timer.now(), token);
  }
};
static_assert(std::is_trivially_copyable_v<Asking>);

/// What an actor with ten inputs takes and when: one is busy now and then, the others seldom.
std::vector<std::pair<Time, int>> asked(bool together, int again, bool before) {
  std::vector<std::pair<Time, int>> got;
  Graph graph;
  auto& asking = graph.add<Asking>("asking", {.clock = kClock}, 10);
  asking.together = together;
  asking.again = again;
  asking.before = before;
  asking.got = &got;
  for (int i = 0; i < 10; ++i) {
    auto& source = graph.add<Metronome>(fmt::format("source{}", i), {.clock = kClock});
    source.next = 100 * i;
    source.count = i == 4 ? 50 : 3;
    source.every = Time::ns(i == 4 ? 7 : 100 + 13 * i);
    source.at = Time::ns(20 * i);
    graph.connect(source.out, asking.in[static_cast<std::size_t>(i)], {.depth = 8});
  }
  graph.run();
  EXPECT_EQ(got.size(), 9 * 3 + 50U);
  return got;
}

TEST(PortArray, HeadsThatAreAskedForTogetherComeAsTheyDoOneByOne) {
  EXPECT_EQ(asked(true, -1, false), asked(false, -1, false));
}

TEST(PortArray, AnInputThatIsAskedAgainTakesATickWhoeverElseWasAskedWithIt) {
  for (const int again : {0, 3, 4, 9})
    for (const bool before : {false, true})
      EXPECT_EQ(asked(true, again, before), asked(false, again, before)) << again << (before ? " before" : " after");
}

}  // namespace
}  // namespace isthmus::reference
