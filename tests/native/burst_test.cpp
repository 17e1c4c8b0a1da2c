// Bursts move the tokens that single reads and pushes move: at the same times on models, in the same order on threads.
#include "isthmus/engine/burst.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "actors.hpp"

namespace isthmus {
namespace {

/// At most so many a burst: so that bursts end inside what is there.
constexpr std::size_t kMost = 7;

struct BurstSource {
  Out<int> out;
  int next = 0;
  void step() {
    push_burst(out, [this](std::span<int> slots) {
      const std::size_t count = std::min({slots.size(), kMost, static_cast<std::size_t>(kCount - next)});
      for (int& slot : slots.first(count)) slot = next++;
      return count;
    });
  }
  bool done() const { return next == kCount; }
};

struct BurstDoubler {
  In<int> in;
  Out<int> out;
  void step() {
    pass_burst(in, out, [](std::span<const int> from, std::span<int> to) {
      const std::size_t count = std::min(from.size(), kMost);
      for (std::size_t i = 0; i < count; ++i) to[i] = 2 * from[i];
      return count;
    });
  }
};
struct Doubler {
  In<int> in;
  Out<int> out;
  void step() {
    const int token = in.read();
    out.slot() = 2 * token;
  }
};

struct BurstSink {
  static constexpr int initiation_interval = 2;
  In<int> in;
  std::vector<int> got;
  void step() {
    read_burst(in, [this](std::span<const int> tokens) {
      const std::size_t count = std::min(tokens.size(), kMost);
      got.insert(got.end(), tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(count));
      return count;
    });
  }
};
struct SlowSink {
  static constexpr int initiation_interval = 2;
  In<int> in;
  std::vector<int> got;
  void step() { got.push_back(in.read()); }
};

/// Asks again and again.
struct PullSink {
  In<int> in;
  std::vector<int> got;
  bool ended = false;
  void step() {
    const bool any = pull_burst(in, [this](std::span<const int> tokens) {
      got.insert(got.end(), tokens.begin(), tokens.end());
      return tokens.size();
    });
    if (!any) ended = in.closed();
  }
  bool done() const { return ended; }
};

template <class From, class Through, class To>
struct Chain {
  Graph graph;
  From& from;
  Through& through;
  To& to;
  explicit Chain(int depth, const ActorOptions& options = {})
      : from(graph.add<From>("from", options)),
        through(graph.add<Through>("through", options)),
        to(graph.add<To>("to", options)) {
    graph.connect(from.out, through.in, wire(depth));
    graph.connect(through.out, to.in, wire(depth));
  }
};

std::vector<int> doubled() {
  std::vector<int> numbers = upto(kCount);
  for (int& number : numbers) number *= 2;
  return numbers;
}

class NativeBursts : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Native, NativeBursts, testing::Values(1, 2, 3));

TEST_P(NativeBursts, EveryTokenArrivesInOrderAtEveryDepth) {
  for (const int depth : {1, 2, 3, 16, 64}) {
    Chain<BurstSource, BurstDoubler, BurstSink> chain(depth);
    const auto report = native::run(chain.graph, {.workers = GetParam()});
    EXPECT_EQ(chain.to.got, doubled()) << "depth " << depth;
    EXPECT_EQ(report.channels.front().pushed, kCount);
    EXPECT_EQ(report.channels.back().popped, kCount);
  }
}

TEST_P(NativeBursts, EndsOfOneChannelNeedNotBothMoveThem) {
  Chain<Source, BurstDoubler, SlowSink> inside(5);
  native::run(inside.graph, {.workers = GetParam()});
  EXPECT_EQ(inside.to.got, doubled());
  Chain<BurstSource, Doubler, BurstSink> outside(5);
  native::run(outside.graph, {.workers = GetParam()});
  EXPECT_EQ(outside.to.got, doubled());
}

TEST_P(NativeBursts, OneThatFindsNothingSaysSo) {
  Chain<BurstSource, BurstDoubler, PullSink> chain(4);
  native::run(chain.graph, {.workers = GetParam()});
  EXPECT_EQ(chain.to.got, doubled());
}

template <class From, class Through, class To>
Time model_time(int depth) {
  Chain<From, Through, To> chain(depth, {.clock = Clock{Frequency::mhz(100)}});
  const RunReport report = chain.graph.run();
  EXPECT_EQ(chain.to.got, doubled());
  return report.end;
}

TEST(ModelBursts, TakeTheTimeOfSingleMoves) {
  for (const int depth : {1, 2, 16}) {
    const Time single = model_time<Source, Doubler, SlowSink>(depth);
    EXPECT_EQ((model_time<BurstSource, BurstDoubler, BurstSink>(depth)), single) << "depth " << depth;
  }
}

}  // namespace
}  // namespace isthmus
