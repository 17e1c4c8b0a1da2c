// A graph of many parts that have nothing to do with each other gives each the times that it has alone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <isthmus/engine/graph.hpp>
#include <isthmus/stream.hpp>

namespace isthmus {
namespace {

struct Source {
  Out<int> out;
  int left = 3000;
  void step() { out.push(left--); }
  bool done() const { return left == 0; }
};
struct Sink {
  In<int> in;
  Timer timer;
  int wait_every = 1;
  int seen = 0;
  void step() {
    in.read();
    if (++seen % wait_every == 0) timer.wait_until(timer.now() + Time::ns(500));
  }
};

void add_pair(Graph& graph, int kind, const std::string& name) {
  const Clock clock{Frequency::mhz(kind % 2 == 0 ? 250 : 300)};
  auto& source = graph.add<Source>(name + "source", {.clock = clock, .initiation_interval = 1 + 40 * (kind % 3)});
  auto& sink = graph.add<Sink>(name + "sink", {.clock = clock});
  sink.wait_every = 3 + 50 * (kind % 5);
  graph.connect(source.out, sink.in, {.depth = 2 + kind});
}

void expect_same(const ActorReport& one, const ActorReport& other) {
  EXPECT_EQ(one.finish, other.finish) << other.name;
  EXPECT_EQ(one.busy, other.busy) << other.name;
  EXPECT_EQ(one.starved, other.starved) << other.name;
  EXPECT_EQ(one.blocked, other.blocked) << other.name;
}

TEST(ManyActors, EachPairEndsAndWaitsAsItWouldAlone) {
  constexpr int kKinds = 30;
  constexpr int kPairs = 120;
  Graph crowd;
  for (int i = 0; i < kPairs; ++i) add_pair(crowd, i % kKinds, fmt::format("pair{}.", i));
  const auto together = crowd.run();
  for (int kind = 0; kind < kKinds; ++kind) {
    Graph graph;
    add_pair(graph, kind, "");
    const auto alone = graph.run();
    for (int i = kind; i < kPairs; i += kKinds) {
      const auto name = fmt::format("pair{}.", i);
      expect_same(alone.actor("source"), together.actor(name + "source"));
      const auto& sink = together.actor(name + "sink");
      EXPECT_EQ(sink.finish, alone.actor("sink").finish) << name;
      EXPECT_EQ(sink.starved, alone.actor("sink").starved) << name;
      EXPECT_EQ(sink.lifetime, sink.busy + sink.starved + sink.blocked) << name;
    }
  }
}

}  // namespace
}  // namespace isthmus
