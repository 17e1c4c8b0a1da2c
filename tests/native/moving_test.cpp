// Actors that change their worker in the middle of a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "actors.hpp"
#include "native/runtime.hpp"

namespace isthmus {
namespace {

/// Sends everyone somewhere, again and again.
native::Runtime::Mover wandering(unsigned seed) {
  return [seed](native::Balancer& balancer) {
    std::mt19937 random(seed);
    std::uniform_int_distribution<int> worker(0, balancer.workers() - 1);
    while (!balancer.run().wait_stopped(std::chrono::microseconds(20))) {
      auto placement = balancer.placement();
      for (int& of_actor : placement) of_actor = worker(random);
      balancer.send(placement);
    }
  };
}

/// A pull that fails lets the step end: between two steps more often than in one.
struct PullingDoubler {
  In<int> in;
  Out<int> out;
  void step() {
    int token = 0;
    if (in.pull(token)) out.push(2 * token);
  }
};

TEST(NativeMoving, LosesNoTokenAndNoWakeUp) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    Graph graph;
    auto& source = graph.add<Source>("source");
    auto& first = graph.add<Pong>("first");
    auto& second = graph.add<PullingDoubler>("second");
    auto& sink = graph.add<Sink>("sink");
    const int depth = 1 << (seed % 7);
    graph.connect(source.out, first.in, wire(depth));
    graph.connect(first.out, second.in, wire(depth));
    graph.connect(second.out, sink.in, wire(depth));
    native::Runtime(graph, {.workers = 3}, wandering(seed)).run();
    std::vector<int> expected = upto(kCount);
    for (int& number : expected) number *= 4;
    EXPECT_EQ(sink.got, expected) << "seed " << seed;
  }
}

TEST(NativeMoving, ADeadlockIsStillFoundWhereEveryoneWanders) {
  Ring<Pong, Pong> ring(4);
  const auto report = native::Runtime(ring.graph, {.workers = 2, .throw_on_error = false}, wandering(5)).run();
  EXPECT_EQ(report.outcome, Outcome::deadlock);
  EXPECT_THAT(report.message, testing::HasSubstr("one waits for a token"));
}

/// Takes long enough for a token that two cores are worth it.
struct Worker {
  In<int> in;
  Out<int> out;
  void step() {
    auto value = static_cast<unsigned>(in.read());
    for (int i = 0; i < 2000; ++i) value = value * 1664525U + 1013904223U;
    out.push(static_cast<int>(value & 0xffffU));
  }
};

TEST(NativeMoving, ARunWhoseWorkersAreOpenGivesTheSameTokensAsOneWorker) {
  const auto run = [](int workers) {
    Graph graph;
    auto& source = graph.add<Source>("source");
    auto& one = graph.add<Worker>("one");
    auto& two = graph.add<Worker>("two");
    auto& sink = graph.add<Sink>("sink");
    graph.connect(source.out, one.in, wire(16));
    graph.connect(one.out, two.in, wire(16));
    graph.connect(two.out, sink.in, wire(16));
    const auto report = native::run(graph, {.workers = workers});
    std::size_t actors = 0;
    for (const auto& worker : report.workers) actors += worker.actors.size();
    EXPECT_EQ(actors, 4U) << native::to_string(report.workers);
    return sink.got;
  };
  EXPECT_EQ(run(0), run(1));
}

}  // namespace
}  // namespace isthmus
