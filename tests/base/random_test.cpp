// Numbers of splitmix64 as its authors' program gives them.
#include "isthmus/base/random.hpp"

#include <gtest/gtest.h>

#include <set>

namespace isthmus {
namespace {

// The numbers are those of the reference implementation (Vigna, splitmix64.c), begun at 1234567.
TEST(Random, MixesAsSplitmix64Does) {
  std::uint64_t state = 1234567;
  for (const std::uint64_t number : {6457827717110365317U, 3203168211198807973U, 9817491932198370423U,
                                     4593380528125082431U, 16408922859458223821U}) {
    EXPECT_EQ(mixed(state), number);
    state += kGolden;
  }
}

TEST(Random, NumbersOfAnIndexAreThoseOfAGeneratorBegunAtZero) {
  std::uint64_t state = 0;
  for (std::uint64_t index = 0; index < 5; ++index, state += kGolden) EXPECT_EQ(random_word(index), mixed(state));
}

TEST(Random, EachBitOfSeedOfWhatAndOfIndexCounts) {
  std::set<std::uint64_t> words{random_word(0, 0, 0)};
  for (unsigned bit = 0; bit < 64; ++bit) {
    const std::uint64_t one = std::uint64_t{1} << bit;
    words.insert({random_word(one, 0, 0), random_word(0, one, 0), random_word(0, 0, one)});
  }
  EXPECT_EQ(words.size(), 1U + 3 * 64);
}

}  // namespace
}  // namespace isthmus
