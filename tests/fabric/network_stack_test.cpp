// A core of the host's network software.
#include "isthmus/fabric/network_stack.hpp"

#include <gmock/gmock.h>

#include <vector>

#include "engine/plain_actors.hpp"

namespace isthmus::fabric {
namespace {

constexpr NetworkStackSpec kStack{.latency = Time::us(20), .cores = 1, .packet = Time::us(2)};

/// Has so many packets ready from the start.
struct Ready {
  Out<StackPacket> out{"out"};
  int left;
  explicit Ready(int count) : left(count) {}
  void step() { out.push({--left}); }
  bool done() const { return left == 0; }
};

/// Takes packets, none before its time.
struct Taker {
  In<StackPacket> in{"in"};
  Timer timer;
  Time from;
  std::vector<Time> came;
  explicit Taker(Time begin) : from(begin) {}
  void step() {
    if (came.empty()) timer.wait_until(from);
    in.read();
    came.push_back(timer.now());
  }
};

struct Bench {
  Graph graph;
  StackCore& core;
  Taker& received;
  Taker& left;

  Bench(int coming, int going, Time receives_from)
      : core(graph.add<StackCore>("core", {}, kStack)),
        received(graph.add<Taker>("received", {}, receives_from)),
        left(graph.add<Taker>("left", {}, Time())) {
    graph.connect(graph.add<Ready>("coming", {}, coming).out, core.arrived, wire(64));
    graph.connect(graph.add<Ready>("going", {}, going).out, core.sent, wire(64));
    graph.connect(core.received, received.in, wire(4));
    graph.connect(core.leaving, left.in, wire(64));
    graph.run();
  }
};

TEST(StackCore, GivesItsTimeInTurnToPacketsThatComeAndThatGo) {
  const Bench bench(20, 20, Time());
  ASSERT_EQ(bench.received.came.size(), 20U);
  ASSERT_EQ(bench.left.came.size(), 20U);
  for (std::size_t i = 0; i < 20; ++i) {
    const auto turn = static_cast<std::int64_t>(4 * i);
    EXPECT_EQ(bench.received.came[i], Time::us(turn + 2) + Time::ns(2)) << i;
    EXPECT_EQ(bench.left.came[i], Time::us(turn + 4) + Time::ns(2)) << i;
  }
}

TEST(StackCore, SendsWhileNobodyTakesWhatHasCome) {
  const Bench bench(20, 20, Time::us(1000));
  // Four that came found room.
  EXPECT_EQ(bench.left.came.back(), Time::us(2 * (20 + 4)) + Time::ns(2));
  EXPECT_GE(bench.received.came.front(), Time::us(1000));
  EXPECT_EQ(bench.received.came.size(), 20U);
}

TEST(NetworkStack, TakesItsLatencyInTwoHalvesOfWhichACoresWorkIsAPart) {
  EXPECT_EQ(kStack.beside_work() + kStack.packet, Time::us(10));
  EXPECT_EQ((NetworkStackSpec{.latency = Time::us(4), .cores = 1, .packet = Time::us(2)}).beside_work(), Time::ns(1));
}

}  // namespace
}  // namespace isthmus::fabric
