#pragma once

#include <cstddef>
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

/// The blocks of some rows and columns, each of which ascend.
struct BlockSet {
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> columns;
  std::size_t size() const { return rows.size() * columns.size(); }
};

/// The distribution of a matrix of `side` x `side` blocks over a P x Q grid of ranks: block (i, j) is at row i mod P,
/// column j mod Q (the PQ distribution of meyer2024 4.1.2).
class BlockGrid {
 public:
  BlockGrid(cluster::Grid grid, std::int64_t side) : grid_(grid), side_(side) {}

  int owner(Block block) const;
  /// The blocks of a rank, row by row.
  std::vector<Block> blocks_of(int rank) const;
  /// The blocks of `from` whose transposed place is at `to`.
  BlockSet sent(int from, int to) const;

 private:
  cluster::Grid grid_;
  std::int64_t side_;
};

}  // namespace isthmus::hpcc
