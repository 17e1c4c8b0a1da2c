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

BlockSet BlockGrid::sent(int from, int to) const {
  BlockSet set;
  for (std::int64_t row = grid_.row_of(from); row < side_; row += grid_.rows)
    if (row % grid_.columns == grid_.column_of(to)) set.rows.push_back(row);
  for (std::int64_t column = grid_.column_of(from); column < side_; column += grid_.columns)
    if (column % grid_.rows == grid_.row_of(to)) set.columns.push_back(column);
  return set;
}

}  // namespace isthmus::hpcc
