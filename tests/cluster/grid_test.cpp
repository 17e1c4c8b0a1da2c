#include "isthmus/cluster/grid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isthmus/base/error.hpp"

namespace isthmus::cluster {
namespace {

TEST(Grid, TheNearestToASquareHasNoOtherDivisorsBetweenItsSides) {
  for (int ranks = 1; ranks <= 200; ++ranks) {
    const Grid grid = nearest_grid(ranks);
    EXPECT_EQ(grid.rows * grid.columns, ranks);
    EXPECT_LE(grid.rows, grid.columns);
    for (int side = grid.rows + 1; side < grid.columns; ++side)
      EXPECT_FALSE(ranks % side == 0 && side <= ranks / side) << ranks;
  }
}

TEST(Grid, EveryRankHasOnePlace) {
  const Grid grid{.rows = 3, .columns = 5};
  for (int rank = 0; rank < 15; ++rank) EXPECT_EQ(grid.rank_at(grid.row_of(rank), grid.column_of(rank)), rank);
}

TEST(Grid, WhatIsTypedHasToFitTheRanks) {
  EXPECT_EQ(parse_grid("2x3", 6), (Grid{.rows = 2, .columns = 3}));
  for (const char* text : {"2x2", "x6", "6", "6x", "2x3x1", "-2x-3", "2 x3", ""})
    EXPECT_THROW(parse_grid(text, 6), Error) << text;
  EXPECT_THAT([] { parse_grid("4x2", 6); },
              testing::ThrowsMessage<Error>("--grid 4x2: expected P * Q = 6, the number of ranks"));
}

}  // namespace
}  // namespace isthmus::cluster
