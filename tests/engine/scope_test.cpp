// Names within scopes, and actors by what stands in their bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <isthmus/engine/graph.hpp>
#include <isthmus/engine/occupancy.hpp>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/refusal.hpp"
#include "engine/small_actors.hpp"

namespace isthmus::reference {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names(const RunReport& report) {
  std::vector<std::string> names;
  names.reserve(report.actors.size());
  for (const ActorReport& actor : report.actors) names.push_back(actor.name);
  return names;
}

TEST(Scope, StandsBeforeTheNamesOfWhatIsAddedWhileItLives) {
  Graph graph;
  {
    const Scope board = graph.scope("board 3");
    add_fed(graph);
    const Scope die = graph.scope("die: 'left'");
    add_fed(graph);
  }
  const Scope none = graph.scope("");
  add_fed(graph);
  EXPECT_THAT(names(graph.run()), ElementsAre("board 3/die: 'left'/sink", "board 3/die: 'left'/source", "board 3/sink",
                                              "board 3/source", "sink", "source"));
}

TEST(Scope, IsInTheNamesThatReportsTracesAndErrorsTell) {
  struct Seen final : StateObserver {
    std::set<std::string> actors;
    void interval(const std::string& actor, State, Time, Time) override { actors.insert(actor); }
  } seen;
  Graph graph;
  for (const char* board : {"board 10", "board 2"}) {
    const Scope scope = graph.scope(board);
    add_fed(graph);
  }
  add_fed(graph);
  const RunReport report = graph.run({.states = &seen});
  EXPECT_THAT(names(report),
              ElementsAre("board 2/sink", "board 2/source", "board 10/sink", "board 10/source", "sink", "source"))
      << "in natural order";
  EXPECT_EQ(seen.actors, (std::set<std::string>{"board 2/sink", "board 2/source", "board 10/sink", "board 10/source",
                                                "sink", "source"}));
  EXPECT_EQ(report.channels.at(1).name, "board 10/source.out -> board 10/sink.in");
}

TEST(Scope, LetsANameBeGivenOnceInEach) {
  Graph graph;
  graph.add<Sink>("a/sink", {.clock = kClock});
  graph.add<Sink>("sink", {.clock = kClock});
  const Scope scope = graph.scope("a");
  EXPECT_THAT(refusal([&] { graph.add<Sink>("sink", {.clock = kClock}); }),
              AllOf(HasSubstr("'a/sink'"), HasSubstr("as 'sink' in 'a/'")));
  graph.add<Sink>("other", {.clock = kClock});
}

TEST(Scope, EndsWithTheLastOfThoseItWasMovedTo) {
  Graph graph;
  Scope outer = graph.scope("outer");
  {
    const Scope moved = std::move(outer);
    add_fed(graph);
  }
  add_fed(graph);
  EXPECT_THAT(names(graph.run()), ElementsAre("outer/sink", "outer/source", "sink", "source"));
}

TEST(Scope, ThatEndsBeforeThoseInsideItEndsThemToo) {
  Graph graph;
  {
    auto outer = std::make_unique<Scope>(graph.scope("outer"));
    const Scope inner = graph.scope("inner");
    outer.reset();
    add_fed(graph);
  }
  EXPECT_THAT(names(graph.run()), ElementsAre("sink", "source"));
}

struct Draws {
  Random random;
  std::uint64_t drawn = 0;
  Out<int> out;
  void step() { out.push(static_cast<int>(drawn = random.below(1U << 30U))); }
  bool done() const { return drawn != 0; }
};

TEST(Scope, GivesRandomNumbersOfItsOwn) {
  Graph graph(5);
  std::vector<const Draws*> all;
  const auto add = [&graph, &all](const std::string& name) {
    auto& draws = graph.add<Draws>(name, {.clock = kClock});
    graph.connect(draws.out, graph.add<Sink>("sink of " + name, {.clock = kClock}).in);
    all.push_back(&draws);
  };
  for (const char* board : {"one", "two"}) {
    const Scope scope = graph.scope(board);
    add("draws");
  }
  graph.run();
  Graph other(5);
  auto& same = other.add<Draws>("two/draws", {.clock = kClock});
  other.connect(same.out, other.add<Sink>("sink", {.clock = kClock}).in);
  other.run();
  EXPECT_NE(all[0]->drawn, all[1]->drawn);
  EXPECT_EQ(all[1]->drawn, same.drawn) << "they come from the full name";
}

/// What a graph finds an actor by: a base that is not its first, a member, a port, a port of an array.
struct First {
  int number = 0;
};
struct Second {
  In<int> in;
};
struct Both : First, Second {
  PortArray<Out<int>> outs;
  Occupancy tags{"tags", 4};
  std::vector<int> elsewhere{1, 2, 3};
  explicit Both(int ports) : outs(ports) {}
  void step() {
    const int value = in.read();
    for (auto& out : outs) out.push(value);
    tags.take(2);
    tags.give(2);
  }
};

TEST(Handle, IsFoundByWhateverStandsInItsActor) {
  Graph graph;
  std::vector<Both*> all;
  for (int i = 0; i < 20; ++i) {
    const Scope scope = graph.scope("board " + std::to_string(19 - i));
    auto& source = graph.add<Source>("source", {.clock = kClock});
    auto& both = graph.add<Both>("both", {.clock = kClock}, i % 3);
    graph.connect(source.out, both.in);
    int sinks = 0;
    for (auto& out : both.outs)
      graph.connect(out, graph.add<Sink>("sink " + std::to_string(sinks++), {.clock = kClock}).in);
    all.push_back(&both);
  }
  const RunReport report = graph.run();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Both& both = *all[i];
    const ActorId id = graph.id(both);
    const std::string name = "board " + std::to_string(19 - i) + "/both";
    EXPECT_EQ(graph.id(static_cast<const First&>(both)), id);
    EXPECT_EQ(graph.id(static_cast<const Second&>(both)), id);
    EXPECT_EQ(graph.id(both.in), id);
    EXPECT_EQ(graph.id(both.tags), id);
    for (const auto& out : both.outs) EXPECT_EQ(graph.id(out), id);
    EXPECT_EQ(&report.actor(id), &report.actor(name));
    EXPECT_EQ(&report.occupancy(id, "tags"), &report.occupancy(name + ": tags"));
    EXPECT_THAT(refusal([&] { graph.id(both.elsewhere.front()); }), HasSubstr("an actor of this graph"));
  }
}

TEST(Handle, IsRefusedWhereTheGraphOrTheRunHasNoSuchActor) {
  Graph graph;
  Graph other;
  const auto& [source, sink] = add_fed(graph);
  const Sink alone;
  EXPECT_THAT(refusal([&] { graph.id(alone); }), HasSubstr("an actor of this graph"));
  EXPECT_THAT(refusal([&] { other.id(source); }), HasSubstr("an actor of this graph"));
  const RunReport report = graph.run();
  EXPECT_EQ(report.actor(graph.id(sink)).name, "sink");
  EXPECT_THAT(refusal([&] { report.actor(ActorId{2}); }), HasSubstr("no actor 2"));
  EXPECT_THAT(refusal([&] { report.occupancy(ActorId{2}, "tags"); }), HasSubstr("no actor 2"));
  EXPECT_THAT(refusal([&] { report.occupancy(graph.id(sink), "tags"); }), HasSubstr("no occupancy 'tags' of sink"));
}

}  // namespace
}  // namespace isthmus::reference
