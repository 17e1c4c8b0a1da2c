#include "isthmus/stream/host_port.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "isthmus/engine/graph.hpp"

namespace isthmus {
namespace {

struct Doubler {
  In<int> in;
  Out<int> out;
  void step() { out.push(2 * in.read()); }
};

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
  const Clock clock{Frequency::mhz(250)};
  auto& port = graph.add<HostPort<int, int>>("host", {.clock = clock}, calls);
  auto& doubler = graph.add<Doubler>("doubler", {.clock = clock});
  graph.connect(port.out, doubler.in, {.depth = 4});
  graph.connect(doubler.out, port.in, {.depth = 4});
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
  struct Sink {
    In<int> in;
    int left = 5;
    void step() {
      in.read();
      --left;
    }
    bool done() const { return left == 0; }
  };
  Graph graph;
  const Clock clock{Frequency::mhz(250)};
  auto& port = graph.add<HostPort<int, int>>("host", {.clock = clock}, calls);
  auto& sink = graph.add<Sink>("sink", {.clock = clock});
  auto& doubler = graph.add<Doubler>("doubler", {.clock = clock});
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

/// What a thread that waits for a token is told when the model cannot give it one.
std::string refusal_of_receive(HostCalls<int, int>& calls) {
  try {
    calls.receive();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(HostPort, ATokenThatNobodyCanSendMakesTheRunQuiescent) {
  HostCalls<int, int> calls;
  std::string told;
  std::thread host([&] { told = refusal_of_receive(calls); });
  Graph graph;
  const Clock clock{Frequency::mhz(250)};
  auto& port = graph.add<HostPort<int, int>>("host", {.clock = clock}, calls);
  auto& doubler = graph.add<Doubler>("doubler", {.clock = clock});
  graph.connect(port.out, doubler.in);
  graph.connect(doubler.out, port.in);
  const auto report = graph.run({.throw_on_error = false});
  host.join();
  EXPECT_EQ(report.outcome, Outcome::quiescent);
  EXPECT_EQ(told, "host port: the model has ended");
}

TEST(HostPort, AThreadThatLetsGoOfItsEndHasFinished) {
  HostCalls<int, int> calls;
  Graph graph;
  const Clock clock{Frequency::mhz(250)};
  auto& port = graph.add<HostPort<int, int>>("host", {.clock = clock}, calls);
  auto& doubler = graph.add<Doubler>("doubler", {.clock = clock});
  graph.connect(port.out, doubler.in);
  graph.connect(doubler.out, port.in);
  std::thread host([mine = std::move(calls)]() mutable { mine.send(1); });
  EXPECT_EQ(graph.run().outcome, Outcome::finished);
  host.join();
}

TEST(HostPort, AThreadIsToldOfAGraphThatIsRefused) {
  HostCalls<int, int> calls;
  std::string told;
  std::thread host([&] { told = refusal_of_receive(calls); });
  {
    Graph graph;
    graph.add<HostPort<int, int>>("unconnected", {}, calls);
    EXPECT_THROW(graph.run(), Error);
  }
  host.join();
  EXPECT_EQ(told, "host port: the model has ended");
}

struct Recursive {
  Out<int> out;
  int depth = 0;
  [[gnu::noinline]] int fall(int n) {
    volatile char frame[512] = {};
    frame[n % 512] = 1;
    const int below = n == 0 ? 0 : fall(n - 1);
    return below + frame[n % 512];
  }
  void step() { out.push(fall(depth)); }
  bool done() const { return false; }
};

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__x86_64__)
TEST(Fibers, AStackOverflowEndsTheRunWithTheActorsNameAndTime) {
  struct Sink {
    In<int> in;
    void step() { in.read(); }
  };
  Graph graph;
  const Clock clock{Frequency::mhz(250)};
  auto& falling = graph.add<Recursive>("falling", {.clock = clock});
  falling.depth = 1 << 20;
  auto& sink = graph.add<Sink>("sink", {.clock = clock});
  graph.connect(falling.out, sink.in);
  const auto report = graph.run({.throw_on_error = false});
  EXPECT_EQ(report.outcome, Outcome::failed);
  EXPECT_EQ(report.message, "falling failed at 0 s: stack overflow: a step used more than the 256 KiB it may");
}
#endif

}  // namespace
}  // namespace isthmus
