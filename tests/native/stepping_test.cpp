// Actors that are stepped as copies: which those are, and what becomes of their state.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "actors.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus {
namespace {

struct Inner {
  char letter;
  double number;
};
struct Plain {
  In<int> in;
  Out<int> out;
  Timer timer;
  Random random;
  Time time;
  std::array<Inner, 2> inner{};
  bool flag = false;
};
struct Pointing {
  In<int> in;
  const int* to = nullptr;
};
struct PointingDeepInside {
  In<int> in;
  std::array<std::optional<const int*>, 2> to;
};
struct Bits {
  In<int> in;
  unsigned three : 3;
};
struct Derived : Plain {};
struct WithArray {
  In<int> in;
  int array[4];
};
class Private {
 public:
  In<int> in;

 private:
  [[maybe_unused]] int state_ = 0;
};
struct WithPortArray {
  PortArray<In<int>> in;
  Out<int> out;
  int state = 0;
};
struct Large {
  In<int> in;
  std::array<int, 1000> state{};
};

TEST(NativeStepping, AnActorIsCopiedWhereNothingInItCanPointIntoIt) {
  EXPECT_TRUE(engine::SteppedAsCopy<Plain>);
  EXPECT_TRUE(engine::SteppedAsCopy<Source>);
  EXPECT_FALSE(engine::SteppedAsCopy<Sink>) << "has a vector";
  EXPECT_FALSE(engine::SteppedAsCopy<Pointing>);
  EXPECT_FALSE(engine::SteppedAsCopy<PointingDeepInside>);
  EXPECT_FALSE(engine::SteppedAsCopy<Bits>);
  EXPECT_FALSE(engine::SteppedAsCopy<Derived>);
  EXPECT_FALSE(engine::SteppedAsCopy<WithArray>);
  EXPECT_FALSE(engine::SteppedAsCopy<Private>);
  EXPECT_FALSE(engine::SteppedAsCopy<Large>);
  EXPECT_TRUE(engine::SteppedAsCopy<WithPortArray>) << "its ports stay where they are";
}

/// Takes what it finds, by turns.
struct Merge {
  PortArray<In<int>> in;
  PortArray<Out<int>> out;
  int taken = 0;
  void step() {
    for (std::size_t i = 0; i < in.size(); ++i) {
      int token = 0;
      if (!in[i].pull(token)) continue;
      out[i].push(token);
      ++taken;
    }
  }
};
static_assert(engine::SteppedAsCopy<Merge>);

class NativeSteppingOn : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Native, NativeSteppingOn, testing::Values(1, 2, 3));

/// Refuses a token after it has counted it.
struct Refusing {
  In<int> in;
  int got = 0;
  void step() {
    const int token = in.read();
    ++got;
    if (token == 100) throw Error("a hundred");
  }
};

TEST_P(NativeSteppingOn, TheStateAtAnExceptionIsThere) {
  Pair<Source, Refusing> pair;
  const auto report = native::run(pair.graph, {.workers = GetParam(), .throw_on_error = false});
  EXPECT_EQ(report.outcome, Outcome::failed);
  EXPECT_EQ(pair.sink.got, 101);
  EXPECT_GE(pair.source.next, 101);
}

TEST_P(NativeSteppingOn, TheStateOfOneThatIsStoppedInsideAStepIsThere) {
  Pair<Source, Quitter> pair(16);
  const auto report = native::run(pair.graph, {.workers = GetParam(), .throw_on_error = false});
  EXPECT_EQ(report.outcome, Outcome::stuck);
  EXPECT_EQ(pair.sink.left, 0);
  EXPECT_EQ(pair.source.next, 27) << "ten read, sixteen in the channel, and the one that found no room";
}

TEST_P(NativeSteppingOn, TokensOfEachPortOfAnArrayComeInOrder) {
  for (const int ports : {1, 3, 16}) {
    Graph graph;
    auto& merge = graph.add<Merge>("merge", {}, ports, ports);
    std::vector<const Sink*> sinks;
    for (int i = 0; i < ports; ++i) {
      const auto place = static_cast<std::size_t>(i);
      auto& source = graph.add<Source>("source" + std::to_string(i));
      auto& sink = graph.add<Sink>("sink" + std::to_string(i));
      source.count = 1000 + i;
      graph.connect(source.out, merge.in[place], wire(4));
      graph.connect(merge.out[place], sink.in, wire(4));
      sinks.push_back(&sink);
    }
    native::run(graph, {.workers = GetParam()});
    EXPECT_EQ(merge.taken, 1000 * ports + ports * (ports - 1) / 2);
    for (int i = 0; i < ports; ++i)
      EXPECT_EQ(sinks[static_cast<std::size_t>(i)]->got, upto(1000 + i)) << "port " << i << " of " << ports;
  }
}

/// Keeps the address of its own counter.
struct SelfReferring {
  In<int> in;
  int got = 0;
  int* counter = nullptr;
  void step() {
    in.read();
    if (counter == nullptr) counter = &got;
    ++*counter;
  }
};

TEST_P(NativeSteppingOn, AnActorMayKeepAddressesOfItsOwn) {
  Pair<Source, SelfReferring> pair;
  native::run(pair.graph, {.workers = GetParam()});
  EXPECT_EQ(pair.sink.got, kCount);
  EXPECT_EQ(pair.sink.counter, &pair.sink.got);
}

/// Two that always have something to do, until they are told to end.
struct Server {
  In<int> in;
  Out<int> out;
  In<int> news;
  bool over = false;
  void step() {
    in.read();
    if (news.pull()) over = true;
    out.push(over ? 1 : 0);
  }
  bool done() const { return over; }
};
struct Client {
  Out<int> out;
  In<int> in;
  Out<int> thanks;
  bool over = false;
  void step() {
    out.push(0);
    over = in.read() == 1;
    if (over) thanks.push(1);
  }
  bool done() const { return over; }
};
/// Speaks before it listens: its first input says nothing about what it could do.
struct SpeaksFirst {
  In<int> in;
  Out<int> out;
  int heard = 0;
  void step() {
    out.push(1);
    heard = in.read();
  }
  bool done() const { return heard != 0; }
};

TEST_P(NativeSteppingOn, AnActorThatCouldSpeakBeforeItListensIsNotKeptWaiting) {
  Graph graph;
  auto& client = graph.add<Client>("client");
  auto& server = graph.add<Server>("server");
  auto& speaker = graph.add<SpeaksFirst>("speaker");
  graph.connect(client.out, server.in, wire(1));
  graph.connect(server.out, client.in, wire(1));
  graph.connect(speaker.out, server.news, wire(1));
  graph.connect(client.thanks, speaker.in, wire(1));
  native::run(graph, {.workers = GetParam()});
  EXPECT_EQ(speaker.heard, 1);
}

/// A step with several moves on a port, some of them through slots.
struct Several {
  In<int> in;
  Out<int> out;
  void step() {
    int& sum = out.slot();
    sum = 0;
    const int first = in.read();
    out.push(first);
    out.slot() = first + in.read();
  }
};

TEST_P(NativeSteppingOn, SlotsAndPushesOfAStepArriveInOrderAtEveryDepth) {
  for (const int depth : {1, 2, 3, 16}) {
    Chain<Source, Several, Sink> chain(depth);
    chain.from.count = 1000;
    native::run(chain.graph, {.workers = GetParam()});
    std::vector<int> expected;
    for (int i = 0; i < 1000; i += 2) expected.insert(expected.end(), {0, i, 2 * i + 1});
    // The step that finds the source closed has given out its first slot before it asks.
    if (chain.to.got.size() == expected.size() + 1) expected.push_back(0);
    EXPECT_EQ(chain.to.got, expected) << "depth " << depth;
  }
}

}  // namespace
}  // namespace isthmus
