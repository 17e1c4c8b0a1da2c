#pragma once

#include <cstdint>
#include <vector>

#include "isthmus/cluster/grid.hpp"

namespace isthmus::hpcc {

/// A block of a matrix, by its row and column of blocks.
struct Block {
  std::int64_t row;
  std::int64_t column;
  bool operator==(const Block&) const = default;
};

/// Which rank of a P x Q grid holds which blocks of a matrix of `side` x `side` blocks: block (i, j) is at row i mod P,
/// column j mod Q (the PQ distribution of meyer2024 4.1.2).
class BlockGrid {
 public:
  BlockGrid(cluster::Grid grid, std::int64_t side) : grid_(grid), side_(side) {}

  int owner(Block block) const;
  /// The blocks of a rank, row by row.
  std::vector<Block> blocks_of(int rank) const;
  /// Those blocks of `from` whose transposed place is at `to`, in the order in which `to` has these places.
  std::vector<Block> sent(int from, int to) const;

 private:
  cluster::Grid grid_;
  std::int64_t side_;
};

}  // namespace isthmus::hpcc
