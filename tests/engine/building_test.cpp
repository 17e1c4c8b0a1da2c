// What the graph refuses and warns of when it is built.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <isthmus/engine/graph.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/refusal.hpp"
#include "engine/dice.hpp"
#include "engine/small_actors.hpp"

namespace isthmus::reference {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Merge {
  In<int> left{"left"}, right{"right"};
  Out<int> out;
  void step() { out.push(left.read() + right.read()); }
};
struct Endless {
  Out<int> out;
  void step() { out.push(1); }
};

TEST(Building, RefusesAnUnconnectedPortByItsName) {
  Graph graph;
  auto& source = graph.add<Source>("source", {.clock = kClock});
  auto& merge = graph.add<Merge>("merge", {.clock = kClock});
  auto& sink = graph.add<Sink>("sink", {.clock = kClock});
  graph.connect(source.out, merge.left);
  graph.connect(merge.out, sink.in);
  EXPECT_THAT(refusal([&] { graph.run(); }), HasSubstr("merge.right"));
}

TEST(Building, AnUnusedInputIsClosedFromTheStartAndAnUnusedOutputHoldsNobodyUp) {
  for (const bool clocked : {true, false}) {
    const auto clock = clocked ? std::optional(kClock) : std::nullopt;
    const auto run = [&](bool unused) {
      Graph graph;
      auto& source = graph.add<Source>("source", {.clock = clock});
      source.count = 1000;
      auto& sink = graph.add<Sink>("sink", {.clock = kClock});
      if (unused) {
        graph.unused(source.out);
        graph.unused(sink.in);
      } else {
        graph.connect(source.out, sink.in, {.depth = 1000, .latency_time = Time::ns(1)});
      }
      const RunReport report = graph.run();
      EXPECT_EQ(report.outcome, Outcome::finished);
      EXPECT_EQ(source.sent, 1000);
      EXPECT_EQ(sink.got, unused ? 0 : 1000);
      return report.end;
    };
    EXPECT_LE(run(true), run(false));
  }
}

TEST(Building, UnusedOutputsCarryTheNameOfTheirActorInAnyScope) {
  Graph graph;
  Source* source = nullptr;
  {
    const auto scope = graph.scope("left");
    source = &graph.add<Source>("source", {.clock = kClock});
    graph.unused(source->out);
  }
  const RunReport report = graph.run();
  ASSERT_EQ(report.channels.size(), 1U);
  EXPECT_EQ(report.channels.front().name, "left/source.out -> left/source.out (unused).in");
}

TEST(Building, RefusesToLeaveAConnectedOrForeignPortUnused) {
  Graph graph;
  const auto [source, sink] = add_fed(graph);
  EXPECT_THAT(refusal([&] { graph.unused(source.out); }), AllOf(HasSubstr("source.out"), HasSubstr("sink.in")));
  EXPECT_THAT(refusal([&] { graph.unused(sink.in); }), AllOf(HasSubstr("sink.in"), HasSubstr("source.out")));
  Source stranger;
  EXPECT_THAT(refusal([&] { graph.unused(stranger.out); }), HasSubstr("no actor of this graph"));
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
  auto& letters = graph.add<Drain<char>>("letters", {.clock = kClock});
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

template <std::size_t Bytes>
struct Block {
  std::array<char, Bytes> bytes;
};
template <class T>
struct BlockSource {
  Out<T> out;
  void step() { out.push({}); }
  bool done() const { return false; }
};
template <std::size_t Bytes>
std::string refusal_of_blocks(int depth) {
  return refusal([&] {
    Graph graph;
    auto& source = graph.add<BlockSource<Block<Bytes>>>("source", {.clock = kClock});
    auto& sink = graph.add<Drain<Block<Bytes>>>("sink", {.clock = kClock});
    graph.connect(source.out, sink.in, {.depth = depth});
  });
}

TEST(Building, RefusesARingOf4GiBByItsChannelItsDepthAndItsTokens) {
  const auto says = [](const char* depth, const char* bytes) {
    return AllOf(HasSubstr("source.out -> sink.in"), HasSubstr(depth), HasSubstr(bytes), HasSubstr("4 GiB"));
  };
  EXPECT_THAT(refusal_of_blocks<4096>(1 << 20), says("depth 1048576", "4096 bytes"));
  EXPECT_THAT(refusal_of_blocks<8>(1 << 30), says("depth 1073741824", "8 bytes"));
  EXPECT_THAT((refusal_of_blocks<std::size_t{1} << 30>(1)), says("depth 1", "1073741824 bytes"));
  EXPECT_EQ(refusal_of_blocks<4096>(1000), "");
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

TEST(Building, WarnsOfAnActorOnALoopThatWaitsForItsOwnClose) {
  Graph graph;
  auto& one = graph.add<Relay>("one", {.clock = kClock});
  auto& two = graph.add<Relay>("two", {.clock = kClock});
  graph.connect(one.out, two.in);
  graph.connect(two.out, one.in);
  add_fed(graph);
  const auto warnings = graph.check();
  EXPECT_THAT(warnings, Contains(AllOf(HasSubstr("one"), HasSubstr("feedback loop"))));
  EXPECT_THAT(warnings, Contains(AllOf(HasSubstr("two"), HasSubstr("feedback loop"))));
  EXPECT_EQ(warnings.size(), 2u);
}

/// Tells whether a token that leaves each of `actors` can come back to it, by closing the relation of its channels.
std::vector<std::vector<bool>> reachable(int actors, const std::vector<std::pair<int, int>>& channels) {
  const auto count = static_cast<std::size_t>(actors);
  std::vector<std::vector<bool>> reach(count, std::vector<bool>(count));
  for (const auto& [from, to] : channels) reach[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)] = true;
  for (std::size_t by = 0; by < count; ++by)
    for (std::size_t from = 0; from < count; ++from)
      for (std::size_t to = 0; to < count; ++to)
        if (reach[from][by] && reach[by][to]) reach[from][to] = true;
  return reach;
}

struct Hub {
  std::array<In<int>, 3> in;
  std::array<Out<int>, 3> out;
  void step() {}
};

TEST(Building, WarnsOfExactlyTheActorsOnALoopInRandomGraphs) {
  Dice dice(1);
  for (int round = 0; round < 200; ++round) {
    const int actors = dice.number(1, 12);
    Graph graph;
    std::vector<Hub*> hubs;
    for (int i = 0; i < actors; ++i) hubs.push_back(&graph.add<Hub>(fmt::format("hub{}", i), {.clock = kClock}));
    std::vector<std::pair<int, int>> channels;
    // Each port has a channel: a shuffled pairing of outputs and inputs, to the left now and then.
    std::vector<int> readers;
    for (int i = 0; i < 3 * actors; ++i) readers.push_back(i);
    for (int i = 3 * actors - 1; i > 0; --i)
      if (dice.chance(i % 4 == 0 ? 60 : 10))
        std::swap(readers[static_cast<std::size_t>(i)], readers[static_cast<std::size_t>(dice.number(0, i))]);
    for (int i = 0; i < 3 * actors; ++i) {
      const int to = readers[static_cast<std::size_t>(i)];
      graph.connect(hubs[static_cast<std::size_t>(i / 3)]->out[static_cast<std::size_t>(i % 3)],
                    hubs[static_cast<std::size_t>(to / 3)]->in[static_cast<std::size_t>(to % 3)]);
      channels.emplace_back(i / 3, to / 3);
    }
    const auto reach = reachable(actors, channels);
    const auto warnings = graph.check();
    for (std::size_t i = 0; i < hubs.size(); ++i) {
      const auto text = fmt::format("hub{} has no done() and stands on a feedback loop", i);
      const bool warned = std::ranges::any_of(warnings, [&](const auto& each) { return each.starts_with(text); });
      EXPECT_EQ(warned, reach[i][i]) << "hub" << i << " in round " << round;
    }
  }
}

TEST(Building, ChecksALongChainInNoTimeToSpeakOf) {
  constexpr int kActors = 12'000;  // a check that is cubic in them would take minutes
  Graph graph;
  auto* last = &graph.add<BlockSource<Block<1100>>>("source", {.clock = kClock}).out;
  for (int i = 0; i < kActors; ++i) {
    auto& relay = graph.add<isthmus::Relay<Block<1100>>>(fmt::format("relay{}", i), {.clock = kClock});
    graph.connect(*last, relay.in, {.depth = 1});
    last = &relay.out;
  }
  auto& sink = graph.add<Drain<Block<1100>>>("sink", {.clock = kClock});
  graph.connect(*last, sink.in, {.depth = 1});
  EXPECT_EQ(graph.check().size(), kActors + 1U) << "a depth of 1 is warned of, and no loop";
}

}  // namespace
}  // namespace isthmus::reference
