#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "hpcc/block_cyclic.hpp"
#include "hpcc/values.hpp"
#include "isthmus/cluster/grid.hpp"
#include "isthmus/cluster/ranks.hpp"

namespace isthmus::hpcc {

/// A x = b over a grid of ranks, each with its blocks of A row by row: the matrix of HPL-AI, whose off-diagonal values
/// are random and whose diagonal dominates, so that its LU decomposition needs no pivots; x is a vector of ones
/// (meyer2024 4.1.3). Where blocks do not divide it, the last ones are filled up with those of the identity, which no
/// factor changes.
class LinearSystem {
 public:
  LinearSystem(const cluster::Ranks& ranks, const cluster::Grid& grid, std::size_t size, std::size_t block_size,
               const std::string& data_type);

  const BlockCyclic& rows() const { return rows_; }
  const BlockCyclic& columns() const { return columns_; }
  /// The ranks of this rank's row of the grid, in the order of columns, and of its column.
  const cluster::Ranks& row_ranks() const { return row_ranks_; }
  const cluster::Ranks& column_ranks() const { return column_ranks_; }
  /// This rank's part of A.
  const Values& matrix() const { return matrix_; }

  /// x, the whole of it on each rank, from this rank's part of L (below the diagonal, its own diagonal being ones) and
  /// U: L y = b, then U x = y, in double precision. Called by all ranks.
  std::vector<double> solve(const Values& factors) const;

  /// ||A x - b|| / (n ||b|| epsilon), maximum norms. meyer2024 4.1.3 prints ||x|| / (n ||b|| epsilon), which has no
  /// residual in it: the error is what HPL and HPL-AI divide so.
  double residual(const std::vector<double>& x) const;

 private:
  enum class Half { lower, upper };

  void fill();
  std::vector<double> row_sums(const Values& matrix, const std::vector<double>& x, bool absolute) const;
  std::vector<double> substitute(const Values& factors, const std::vector<double>& right, Half half) const;
  void solve_block(const Values& factors, std::size_t block, std::vector<double>& values, Half half) const;

  cluster::Ranks ranks_;
  cluster::Ranks row_ranks_;
  cluster::Ranks column_ranks_;
  BlockCyclic rows_;
  BlockCyclic columns_;
  std::size_t block_;
  std::size_t size_;
  std::size_t filled_size_;  // of all blocks
  std::string type_;
  Values matrix_;
  std::vector<double> right_;  // b, the whole of it, filled up with ones
};

}  // namespace isthmus::hpcc
