#include "hpcc/block_grid.hpp"

namespace isthmus::hpcc {

int BlockGrid::owner(Block block) const {
  return grid_.rank_at(static_cast<int>(block.row % grid_.rows), static_cast<int>(block.column % grid_.columns));
}

std::vector<Block> BlockGrid::blocks_of(int rank) const {
  std::vector<Block> blocks;
  for (std::int64_t row = grid_.row_of(rank); row < side_; row += grid_.rows)
    for (std::int64_t column = grid_.column_of(rank); column < side_; column += grid_.columns)
      blocks.push_back({row, column});
  return blocks;
}

std::vector<Block> BlockGrid::sent(int from, int to) const {
  std::vector<Block> blocks;
  for (const Block& place : blocks_of(to)) {
    const Block transposed{place.column, place.row};
    if (owner(transposed) == from) blocks.push_back(transposed);
  }
  return blocks;
}

}  // namespace isthmus::hpcc
