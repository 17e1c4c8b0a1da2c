// Bursts move the tokens that single reads and pushes move: at the same times on models, in the same order on threads.
#include "isthmus/engine/burst.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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

/// Numbers in one channel, and what is missing to 0 beside them in another.
struct BurstPairSource {
  Out<int> out;
  Out<int> negative;
  int next = 0;
  void step() {
    push_burst(out, negative, [this](std::span<int> slots, std::span<int> beside) {
      const std::size_t count = std::min({slots.size(), kMost, static_cast<std::size_t>(kCount - next)});
      for (std::size_t i = 0; i < count; ++i, ++next) slots[i] = -(beside[i] = -next);
      return count;
    });
  }
  bool done() const { return next == kCount; }
};
struct PairSource {
  Out<int> out;
  Out<int> negative;
  int next = 0;
  void step() {
    out.push(next);
    negative.push(-next++);
  }
  bool done() const { return next == kCount; }
};

struct BurstPairSink {
  static constexpr int initiation_interval = 2;
  In<int> in;
  In<int> negative;
  std::vector<int> got;
  void step() {
    read_burst(in, negative, [this](std::span<const int> tokens, std::span<const int> beside) {
      const std::size_t count = std::min(tokens.size(), kMost);
      for (std::size_t i = 0; i < count; ++i) got.push_back(tokens[i] - beside[i]);
      return count;
    });
  }
};
struct PairSink {
  static constexpr int initiation_interval = 2;
  In<int> in;
  In<int> negative;
  std::vector<int> got;
  void step() {
    const int token = in.read();
    got.push_back(token - negative.read());
  }
};

template <class From, class To>
struct Pairs {
  Graph graph;
  From& from;
  To& to;
  Pairs(int depth, int beside, const ActorOptions& options = {})
      : from(graph.add<From>("from", options)), to(graph.add<To>("to", options)) {
    graph.connect(from.out, to.in, wire(depth));
    graph.connect(from.negative, to.negative, wire(beside));
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

TEST_P(NativeBursts, ThroughTwoChannelsTokensStaySideBySide) {
  for (const int depth : {1, 3, 64})
    for (const int beside : {1, 5, 64}) {
      Pairs<BurstPairSource, BurstPairSink> pairs(depth, beside);
      native::run(pairs.graph, {.workers = GetParam()});
      EXPECT_EQ(pairs.to.got, doubled()) << "depths " << depth << " and " << beside;
    }
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

template <class From, class To>
Time time_of_pairs(int depth, int beside) {
  Pairs<From, To> pairs(depth, beside, {.clock = Clock{Frequency::mhz(100)}});
  const RunReport report = pairs.graph.run();
  EXPECT_EQ(pairs.to.got, doubled());
  return report.end;
}

TEST(ModelBursts, ThroughTwoChannelsTakeTheTimeOfSingleMoves) {
  for (const int depth : {1, 2, 16})
    for (const int beside : {1, 3}) {
      const Time single = time_of_pairs<PairSource, PairSink>(depth, beside);
      EXPECT_EQ((time_of_pairs<BurstPairSource, PairSink>(depth, beside)), single) << depth << " and " << beside;
      EXPECT_EQ((time_of_pairs<PairSource, BurstPairSink>(depth, beside)), single) << depth << " and " << beside;
    }
}

}  // namespace
}  // namespace isthmus
