// A step that needs more stack than it has ends the run with the actor's name, however it takes it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <isthmus/stream.hpp>

#include "engine/plain_actors.hpp"
#include "engine/unprobed_array.hpp"

// A sanitizer has its own word on overflows, and other processors have no watch for them.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__x86_64__)

namespace isthmus {
namespace {

using testing::HasSubstr;

constexpr std::size_t kMiB = std::size_t{1} << 20;

template <std::size_t Bytes>
[[gnu::noinline]] int lowest_of_array() {
  volatile char array[Bytes];
  array[0] = 1;
  return array[0];
}

[[gnu::noinline]] int fall(int n) {
  volatile char frame[512] = {};
  frame[n % 512] = 1;
  const int below = n == 0 ? 0 : fall(n - 1);
  return below + frame[n % 512];
}

int recursion() {
  return fall(1 << 20);
}

struct Greedy {
  Out<int> out;
  int (*use_stack)();
  void step() { out.push(use_stack()); }
  bool done() const { return false; }
};

RunReport run_with(int (*use_stack)(), Time limit = Time::max()) {
  Graph graph;
  const Clock clock{Frequency::mhz(250)};
  auto& greedy = graph.add<Greedy>("greedy", {.clock = clock});
  greedy.use_stack = use_stack;
  graph.connect(greedy.out, graph.add<Drain<int>>("sink", {.clock = clock}).in);
  return graph.run({.limit = limit, .throw_on_error = false});
}

class Overflow : public testing::TestWithParam<int (*)()> {};
INSTANTIATE_TEST_SUITE_P(ArraysAndCalls, Overflow,
                         testing::Values(recursion, lowest_of_array<300 * 1024>, lowest_of_array<kMiB>,
                                         lowest_of_array<4 * kMiB>, lowest_of_array<1024 * kMiB>,
                                         reference::lowest_of_unprobed_mebibyte));

TEST_P(Overflow, NamesTheActor) {
  const auto report = run_with(GetParam());
  EXPECT_EQ(report.outcome, Outcome::failed);
  EXPECT_EQ(report.message, "greedy failed at 0 s: stack overflow: a step used more than the 256 KiB it may");
}

TEST(LocalArray, ThatFitsIsNoOverflow) {
  EXPECT_EQ(run_with(lowest_of_array<200 * 1024>, Time::us(1)).outcome, Outcome::limit);
}

}  // namespace
}  // namespace isthmus

#endif
