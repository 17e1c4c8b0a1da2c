#include "application/share.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

namespace isthmus::program {
namespace {

/// The shares of `threads` that take from one counter at the same time.
std::deque<Share> taken_by(int threads, int count, int most) {
  std::atomic<int> next = 0;
  std::deque<Share> shares;
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) shares.emplace_back(next, count, most);
  for (Share& share : shares)
    running.emplace_back([&share] {
      while (share.take()) std::this_thread::yield();
    });
  for (std::thread& each : running) each.join();
  return shares;
}

TEST(Share, OfSeveralThreadsHoldEachMessageOnceAndInOrder) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::minstd_rand random(seed);
  for (int i = 0; i < 200; ++i) {
    const int threads = std::uniform_int_distribution(1, 5)(random);
    const int count = std::uniform_int_distribution(0, 300)(random);
    const int most = std::uniform_int_distribution((count + threads - 1) / threads, count)(random);
    std::vector<int> all;
    for (const Share& share : taken_by(threads, count, most)) {
      EXPECT_TRUE(std::ranges::is_sorted(share.numbers()));
      EXPECT_LE(share.taken(), most);
      EXPECT_TRUE(share.ended());
      all.insert(all.end(), share.numbers().begin(), share.numbers().end());
    }
    std::ranges::sort(all);
    std::vector<int> expected(static_cast<std::size_t>(count));
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(all, expected);
  }
}

TEST(Share, EndsWhereItHasTakenItsMostAndLeavesTheRestToOthers) {
  std::atomic<int> next = 0;
  Share small(next, 5, 2);
  Share large(next, 5, 5);
  EXPECT_TRUE(small.take());
  EXPECT_TRUE(large.take());
  EXPECT_TRUE(small.take());
  EXPECT_FALSE(small.ended());
  EXPECT_FALSE(small.take());
  EXPECT_TRUE(small.ended());
  EXPECT_FALSE(large.ended());
  EXPECT_TRUE(large.take());
  EXPECT_TRUE(large.take());
  EXPECT_FALSE(large.take());
  EXPECT_EQ(small.number(1), 2);
  EXPECT_EQ(large.number(2), 4);
}

}  // namespace
}  // namespace isthmus::program
