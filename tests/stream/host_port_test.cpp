#include "isthmus/stream/host_port.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/refusal.hpp"
#include "engine/plain_actors.hpp"

namespace isthmus {
namespace {

/// A real thread's end, and behind it a doubler of its numbers.
void add_doubler(Graph& graph, HostCalls<int, int>& calls) {
  const Clock clock{Frequency::mhz(250)};
  auto& port = graph.add<HostPort<int, int>>("host", {.clock = clock}, calls);
  auto& doubler = graph.add<Pong>("doubler", {.clock = clock});
  graph.connect(port.out, doubler.in, {.depth = 4});
  graph.connect(doubler.out, port.in, {.depth = 4});
}

struct Crossing {
  std::vector<int> received;
  RunReport report;
};

Crossing double_numbers(int count, int pause_every) {
  HostCalls<int, int> calls;
  Crossing result;
  std::thread host([&] {
    for (int i = 0; i < count; ++i) {
      calls.send(i);
      for (int spin = 0; pause_every != 0 && i % pause_every == 0 && spin < 1000; ++spin) std::this_thread::yield();
      result.received.push_back(calls.receive().value_or(-1));
    }
    calls.finish();
  });
  Graph graph;
  add_doubler(graph, calls);
  result.report = graph.run();
  host.join();
  return result;
}

TEST(HostPort, CarriesEveryCallOfARealThread) {
  const auto crossing = double_numbers(100, 0);
  ASSERT_EQ(crossing.received.size(), 100U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(crossing.received[static_cast<std::size_t>(i)], 2 * i);
}

TEST(HostPort, GivesTheSameVirtualTimesHoweverTheThreadDawdles) {
  const auto brisk = double_numbers(50, 0);
  const auto slow = double_numbers(50, 3);
  EXPECT_EQ(brisk.report.end, slow.report.end);
  EXPECT_EQ(brisk.received, slow.received);
}

TEST(HostPort, TellsAThreadThatStillCallsWhenTheRunIsOver) {
  HostCalls<int, int> calls;
  bool told = false;
  std::thread host([&] {
    try {
      for (;;) calls.send(1);
    } catch (const Error&) {
      told = true;
    }
  });
  Graph graph;
  const Clock clock{Frequency::mhz(250)};
  auto& port = graph.add<HostPort<int, int>>("host", {.clock = clock}, calls);
  auto& sink = graph.add<Quitter>("sink", {.clock = clock});
  auto& doubler = graph.add<Pong>("doubler", {.clock = clock});
  graph.connect(port.out, doubler.in, {.depth = 2});
  struct Fork {
    In<int> in;
    Out<int> out{"sink"};
    Out<int> back{"back"};
    void step() { out.push(in.read()); }
  };
  auto& fork = graph.add<Fork>("fork", {.clock = clock});
  graph.connect(doubler.out, fork.in);
  graph.connect(fork.out, sink.in);
  graph.connect(fork.back, port.in);
  const auto report = graph.run({.throw_on_error = false});
  host.join();
  EXPECT_EQ(report.outcome, Outcome::stuck);
  EXPECT_TRUE(told);
}

TEST(HostPort, ATokenThatNobodyCanSendMakesTheRunQuiescent) {
  HostCalls<int, int> calls;
  std::string told;
  std::thread host([&] { told = refusal([&] { calls.receive(); }); });
  Graph graph;
  add_doubler(graph, calls);
  const auto report = graph.run({.throw_on_error = false});
  host.join();
  EXPECT_EQ(report.outcome, Outcome::quiescent);
  EXPECT_EQ(told, "host port: the model has ended");
}

TEST(HostPort, AThreadThatLetsGoOfItsEndHasFinished) {
  HostCalls<int, int> calls;
  Graph graph;
  add_doubler(graph, calls);
  std::thread host([mine = std::move(calls)]() mutable { mine.send(1); });
  EXPECT_EQ(graph.run().outcome, Outcome::finished);
  host.join();
}

TEST(HostPort, AThreadIsToldOfAGraphThatIsRefused) {
  HostCalls<int, int> calls;
  std::string told;
  std::thread host([&] { told = refusal([&] { calls.receive(); }); });
  {
    Graph graph;
    graph.add<HostPort<int, int>>("unconnected", {}, calls);
    EXPECT_THROW(graph.run(), Error);
  }
  host.join();
  EXPECT_EQ(told, "host port: the model has ended");
}

}  // namespace
}  // namespace isthmus
