// The native back end: every token arrives, in order and in place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "actors.hpp"

namespace isthmus {
namespace {

using testing::SizeIs;

class NativeTokens : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Native, NativeTokens, testing::Values(1, 2, 3));

TEST_P(NativeTokens, EveryTokenArrivesInOrderAtEveryDepth) {
  for (const int depth : {1, 2, 3, 16, 64}) {
    Pair pair(depth);
    const auto report = native::run(pair.graph, {.workers = GetParam()});
    EXPECT_EQ(pair.sink.got, upto(kCount)) << "depth " << depth;
    EXPECT_EQ(report.channels.front().pushed, kCount);
    EXPECT_EQ(report.channels.front().popped, kCount);
  }
}

/// Goes round between two actors, one token at a time: every hop finds the other asleep or spinning.
struct Ping {
  In<int> in;
  Out<int> out;
  int rounds = 3000;
  int sum = 0;
  void step() {
    out.push(rounds);
    sum += in.read();
    --rounds;
  }
  bool done() const { return rounds == 0; }
};

TEST_P(NativeTokens, ATokenThatIsWaitedForIsNeverHeldBack) {
  Ring<Ping, Pong> ring(64);
  native::run(ring.graph, {.workers = GetParam()});
  EXPECT_EQ(ring.one.sum, 2 * 3000 * 3001 / 2);
}

/// Gives out a slot in each step and is then a long time at other work, which ends when the reader says so.
struct Slots {
  Out<int> out;
  In<int> in;
  int next = 0;
  void step() {
    out.slot() = next++;
    in.read();
  }
  bool done() const { return next == 1000; }
};

TEST_P(NativeTokens, AFilledSlotIsPublishedBeforeItsActorWaits) {
  Ring<Slots, Pong> ring(4);
  const auto report = native::run(ring.graph, {.workers = GetParam()});
  EXPECT_EQ(report.outcome, Outcome::finished);
  EXPECT_EQ(ring.one.next, 1000);
}

TEST(NativeRun, OneProgramRunsOneTypeOnBothBackEnds) {
  Pair on_model;
  Pair on_threads;
  on_model.graph.run();
  native::run(on_threads.graph);
  EXPECT_EQ(on_model.sink.got, on_threads.sink.got);
}

/// Hands on what it reads in place, however long the way out is blocked.
struct InPlace {
  In<int> in;
  Out<int> out;
  void step() {
    const int& token = in.read_in_place();
    out.slot() = 0;  // waits, while others run
    out.push(token);
  }
};

TEST_P(NativeTokens, ATokenReadInPlaceStaysWhileItsActorWaits) {
  for (const int depth : {1, 2, 5}) {
    Graph graph;
    auto& source = graph.add<Source>("source");
    auto& in_place = graph.add<InPlace>("in place");
    auto& sink = graph.add<Sink>("sink");
    source.count = 500;
    graph.connect(source.out, in_place.in, wire(depth));
    graph.connect(in_place.out, sink.in, wire(1));
    native::run(graph, {.workers = GetParam()});
    ASSERT_THAT(sink.got, SizeIs(1000));
    for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(sink.got[i], i % 2 == 0 ? 0 : static_cast<int>(i / 2));
  }
}

/// Four kilobytes.
struct Page {
  std::array<std::uint64_t, 512> words;
};
struct Pages {
  Out<Page> out;
  std::uint64_t next = 0;
  void step() {
    Page& page = out.slot();
    for (std::uint64_t& word : page.words) word = next;
    ++next;
  }
  bool done() const { return next == 500; }
};
struct Reader {
  In<Page> in;
  std::uint64_t sum = 0;
  void step() {
    const Page* page = in.front();
    if (page == nullptr) return;
    for (const std::uint64_t word : page->words) sum += word;
    in.pull();
  }
};

TEST_P(NativeTokens, LargeTokensAreBuiltAndReadInPlace) {
  Pair<Pages, Reader> pair(3);
  native::run(pair.graph, {.workers = GetParam()});
  EXPECT_EQ(pair.sink.sum, 512U * 500 * 499 / 2);
}

}  // namespace
}  // namespace isthmus
