// What the graph refuses and warns of when it is built, and how steps that go wrong end a run.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <isthmus/base/error.hpp>
#include <isthmus/engine/graph.hpp>
#include <isthmus/stream.hpp>

#include "engine/dice.hpp"

namespace isthmus::reference {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Clock kClock{Frequency::mhz(1000), 0, 1, ""};

struct Source {
  Out<int> out;
  int sent = 0;
  int count = 10;
  void step() {
    out.push(sent);
    ++sent;
  }
  bool done() const { return sent == count; }
};
struct Sink {
  In<int> in;
  int got = 0;
  void step() {
    int value = 0;
    if (in.pull(value)) ++got;
  }
};
struct Merge {
  In<int> left{"left"}, right{"right"};
  Out<int> out;
  void step() { out.push(left.read() + right.read()); }
};
struct Endless {
  Out<int> out;
  void step() { out.push(1); }
};
struct Letters {
  In<char> in;
  void step() { in.read(); }
};

template <class Build>
std::string refusal(Build build) {
  try {
    build();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Building, RefusesAnUnconnectedPortByItsName) {
  Graph graph;
  auto& source = graph.add<Source>("source", {.clock = kClock});
  auto& merge = graph.add<Merge>("merge", {.clock = kClock});
  auto& sink = graph.add<Sink>("sink", {.clock = kClock});
  graph.connect(source.out, merge.left);
  graph.connect(merge.out, sink.in);
  EXPECT_THAT(refusal([&] { graph.run(); }), HasSubstr("merge.right"));
}

TEST(Building, RefusesTwoWritersAndTwoReadersByTheirNames) {
  Graph graph;
  auto& one = graph.add<Source>("one", {.clock = kClock});
  auto& two = graph.add<Source>("two", {.clock = kClock});
  auto& sink = graph.add<Sink>("sink", {.clock = kClock});
  auto& other = graph.add<Sink>("other", {.clock = kClock});
  graph.connect(one.out, sink.in);
  EXPECT_THAT(refusal([&] { graph.connect(two.out, sink.in); }),
              AllOf(HasSubstr("two.out"), HasSubstr("sink.in"), HasSubstr("one.out")));
  EXPECT_THAT(refusal([&] { graph.connect(one.out, other.in); }),
              AllOf(HasSubstr("one.out"), HasSubstr("other.in"), HasSubstr("sink.in")));
}

TEST(Building, RefusesDepthsAndLatenciesThatAreNotPositive) {
  const auto with = [](const ChannelOptions& options, bool clocked) {
    return refusal([&] {
      Graph graph;
      const auto clock = clocked ? std::optional(kClock) : std::nullopt;
      auto& source = graph.add<Source>("source", {.clock = clock});
      auto& sink = graph.add<Sink>("sink", {.clock = clock});
      graph.connect(source.out, sink.in, options);
    });
  };
  EXPECT_THAT(with({.depth = 0}, true), AllOf(HasSubstr("source.out -> sink.in"), HasSubstr("depth 0")));
  EXPECT_THAT(with({.depth = -3}, true), HasSubstr("depth -3"));
  EXPECT_THAT(with({.latency = 0}, true), AllOf(HasSubstr("source.out -> sink.in"), HasSubstr("latency 0")));
  EXPECT_THAT(with({.return_latency = 0}, true), HasSubstr("return_latency 0"));
  EXPECT_THAT(with({.synchroniser = -1}, true), HasSubstr("synchroniser -1"));
  EXPECT_THAT(with({.return_latency_time = Time::ns(1)}, false), AllOf(HasSubstr("source"), HasSubstr("latency_time")));
  EXPECT_THAT(with({.latency_time = Time::ns(1)}, false), AllOf(HasSubstr("sink"), HasSubstr("return_latency_time")));
  EXPECT_EQ(with({.latency_time = Time::ns(1), .return_latency_time = Time::ns(1)}, false), "");
}

TEST(Building, RefusesTokensOfTwoTypesByTheirNames) {
  Graph graph;
  auto& source = graph.add<Source>("source", {.clock = kClock});
  auto& letters = graph.add<Letters>("letters", {.clock = kClock});
  EXPECT_THAT(refusal([&] { graph.connect(source.out, letters.in); }),
              AllOf(HasSubstr("source.out"), HasSubstr("letters.in"), HasSubstr("int"), HasSubstr("char")));
}

TEST(Building, RefusesANameGivenTwiceAndAnIntervalBelowOne) {
  Graph graph;
  graph.add<Source>("source", {.clock = kClock});
  EXPECT_THAT(refusal([&] { graph.add<Sink>("source", {.clock = kClock}); }), HasSubstr("'source'"));
  EXPECT_THAT(refusal([&] { graph.add<Sink>("sink", {.clock = kClock, .initiation_interval = 0}); }),
              AllOf(HasSubstr("sink"), HasSubstr("interval 0")));
}

TEST(Building, RefusesASourceThatWouldNeverFinish) {
  Graph graph;
  auto& endless = graph.add<Endless>("endless", {.clock = kClock});
  auto& sink = graph.add<Sink>("sink", {.clock = kClock});
  graph.connect(endless.out, sink.in);
  EXPECT_THAT(refusal([&] { graph.run(); }), AllOf(HasSubstr("endless"), HasSubstr("done()")));
}

TEST(Building, RefusesAPortOfAnotherGraph) {
  Graph graph, other;
  auto& source = graph.add<Source>("source", {.clock = kClock});
  auto& sink = other.add<Sink>("sink", {.clock = kClock});
  EXPECT_THAT(refusal([&] { graph.connect(source.out, sink.in); }), HasSubstr("no actor of this graph"));
}

/// What a channel between a source and a sink is warned of, and when the sink got its last token.
struct Throttle {
  std::vector<std::string> warnings;
  Time end;
};
Throttle throttle(const Clock& writer, const Clock& reader, const ChannelOptions& options, int tokens) {
  Graph graph;
  auto& source = graph.add<Source>("source", {.clock = writer});
  source.count = tokens;
  auto& sink = graph.add<Sink>("sink", {.clock = reader});
  graph.connect(source.out, sink.in, options);
  const auto report = graph.run();
  return {report.warnings, report.end};
}

TEST(Building, TheDepthNamedForAThrottlingChannelIsTheLeastThatCarriesATokenACycle) {
  for (int latency = 1; latency <= 4; ++latency)
    for (int back = 1; back <= 4; ++back) {
      const int least = latency + back;
      const auto run = [&](int depth) {
        return throttle(kClock, kClock, {.depth = depth, .latency = latency, .return_latency = back}, 1000);
      };
      const Time full = Time::ns(1000 + latency);
      EXPECT_THAT(run(least - 1).warnings,
                  Contains(AllOf(HasSubstr("source.out -> sink.in"), HasSubstr(fmt::format("depth {}", least - 1)),
                                 HasSubstr(fmt::format(" {} can", least)))));
      EXPECT_GT(run(least - 1).end, full);
      EXPECT_THAT(run(least).warnings, IsEmpty());
      EXPECT_EQ(run(least).end, full);
    }
}

/// The depth that a warning says can carry a token a cycle; 0 without a warning.
int depth_that_can(const std::vector<std::string>& warnings) {
  return warnings.empty() ? 0 : std::stoi(warnings.front().substr(warnings.front().rfind(": ") + 2));
}

TEST(Building, BetweenTwoClocksADepthThatIsNotWarnedOfOrIsNamedRunsAtTheSlowerOne) {
  Dice dice(1);
  constexpr int kTokens = 2000;
  for (int i = 0; i < 200; ++i) {
    const auto some_clock = [&] { return Clock{{1'000'000'000, dice.between(1, 5)}, dice.between(0, 6), 7, ""}; };
    const Clock writer = some_clock(), reader = some_clock();
    ChannelOptions options{.latency = dice.number(1, 4), .return_latency = dice.number(1, 4)};
    options.depth = dice.number(1, 16);
    auto run = throttle(writer, reader, options, kTokens);
    if (const int named = depth_that_can(run.warnings); named != 0) {
      options.depth = named;
      run = throttle(writer, reader, options, kTokens);
    }
    const auto slower = std::max(writer.frequency.denominator, reader.frequency.denominator);
    EXPECT_THAT(run.warnings, IsEmpty());
    EXPECT_LE(run.end, Time::ns((kTokens + 30) * slower))
        << options.depth << ": " << writer.frequency.denominator << " to " << reader.frequency.denominator;
  }
}

struct Relay {
  In<int> in;
  Out<int> out;
  void step() { out.push(in.read()); }
};

TEST(Building, WarnsOfAnActorOnALoopThatWaitsForItsOwnClose) {
  Graph graph;
  auto& one = graph.add<Relay>("one", {.clock = kClock});
  auto& two = graph.add<Relay>("two", {.clock = kClock});
  auto& source = graph.add<Source>("source", {.clock = kClock});
  auto& sink = graph.add<Sink>("sink", {.clock = kClock});
  graph.connect(one.out, two.in);
  graph.connect(two.out, one.in);
  graph.connect(source.out, sink.in);
  const auto warnings = graph.check();
  EXPECT_THAT(warnings, Contains(AllOf(HasSubstr("one"), HasSubstr("feedback loop"))));
  EXPECT_THAT(warnings, Contains(AllOf(HasSubstr("two"), HasSubstr("feedback loop"))));
  EXPECT_EQ(warnings.size(), 2u);
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
  auto& source = graph.add<Source>("source", {.clock = kClock});
  auto& failing = graph.add<Failing>("failing", {.clock = kClock});
  graph.connect(source.out, failing.in);
  const auto report = graph.run({.throw_on_error = false});
  EXPECT_EQ(report.outcome, Outcome::failed);
  EXPECT_EQ(report.end, Time::ns(3));
  EXPECT_THAT(report.message, AllOf(HasSubstr("failing"), HasSubstr("3 ns"), HasSubstr("the third token is too much")));
}

TEST(Running, AnErrorIsThrownUnlessTheRunSaysOtherwise) {
  Graph graph;
  auto& source = graph.add<Source>("source", {.clock = kClock});
  auto& failing = graph.add<Failing>("failing", {.clock = kClock});
  graph.connect(source.out, failing.in);
  EXPECT_THAT(refusal([&] { graph.run(); }), AllOf(HasSubstr("failing"), HasSubstr("the third token is too much")));
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
  auto& source = graph.add<Source>("source", {.clock = kClock});
  auto& spinning = graph.add<Spinning>("spinning");
  graph.connect(source.out, spinning.in, {.return_latency_time = Time::ns(1)});
  const auto report = graph.run({.throw_on_error = false});
  EXPECT_EQ(report.outcome, Outcome::failed);
  EXPECT_THAT(report.message, AllOf(HasSubstr("spinning"), HasSubstr("million operations")));
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
