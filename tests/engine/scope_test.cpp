// Names within scopes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <isthmus/engine/graph.hpp>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/small_actors.hpp"

namespace isthmus::reference {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names(const RunReport& report) {
  std::vector<std::string> names;
  for (const ActorReport& actor : report.actors) names.push_back(actor.name);
  return names;
}

/// A source and its sink.
void add_pair(Graph& graph) {
  auto& source = graph.add<Source>("source", {.clock = kClock});
  auto& sink = graph.add<Sink>("sink", {.clock = kClock});
  graph.connect(source.out, sink.in);
}

TEST(Scope, StandsBeforeTheNamesOfWhatIsAddedWhileItLives) {
  Graph graph;
  {
    const Scope board = graph.scope("board 3");
    add_pair(graph);
    const Scope die = graph.scope("die: 'left'");
    add_pair(graph);
  }
  const Scope none = graph.scope("");
  add_pair(graph);
  EXPECT_THAT(names(graph.run()), ElementsAre("board 3/die: 'left'/sink", "board 3/die: 'left'/source", "board 3/sink",
                                              "board 3/source", "sink", "source"));
}

TEST(Scope, IsInTheNamesThatReportsTracesAndErrorsTell) {
  struct Seen final : StateObserver {
    std::set<std::string> actors;
    void stretch(const std::string& actor, State, Time, Time) override { actors.insert(actor); }
  } seen;
  Graph graph;
  for (const char* board : {"board 10", "board 2"}) {
    const Scope scope = graph.scope(board);
    add_pair(graph);
  }
  add_pair(graph);
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
    add_pair(graph);
  }
  add_pair(graph);
  EXPECT_THAT(names(graph.run()), ElementsAre("outer/sink", "outer/source", "sink", "source"));
}

TEST(Scope, ThatEndsBeforeThoseInsideItEndsThemToo) {
  Graph graph;
  {
    auto outer = std::make_unique<Scope>(graph.scope("outer"));
    const Scope inner = graph.scope("inner");
    outer.reset();
    add_pair(graph);
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

}  // namespace
}  // namespace isthmus::reference
