#include "hpcc/linear_system.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "hpcc/random_values.hpp"
#include "isthmus/hpcc/parameters.hpp"

namespace isthmus::hpcc {

LinearSystem::LinearSystem(const cluster::Ranks& ranks, const cluster::Grid& grid, std::size_t size,
                           std::size_t block_size, const std::string& data_type)
    : ranks_(ranks),
      row_ranks_(ranks.split(grid.row_of(ranks.rank()), grid.column_of(ranks.rank()))),
      column_ranks_(ranks.split(grid.column_of(ranks.rank()), grid.row_of(ranks.rank()))),
      rows_(size, block_size, grid.rows, grid.row_of(ranks.rank())),
      columns_(size, block_size, grid.columns, grid.column_of(ranks.rank())),
      block_(block_size),
      size_(size),
      filled_size_(rows_.blocks() * block_size),
      type_(data_type),
      matrix_(data_type, rows_.my_size() * columns_.my_size(), 0) {
  fill();
  right_ = row_sums(matrix_, std::vector<double>(filled_size_, 1), false);
}

void LinearSystem::fill() {
  const RandomValues random(0);
  const std::size_t width = columns_.my_size();
  for (std::size_t i = 0; i < rows_.my_size(); ++i)
    for (std::size_t j = 0; j < width; ++j)
      if (rows_.global(i) != columns_.global(j) && std::max(rows_.global(i), columns_.global(j)) < size_)
        matrix_.set(i * width + j, random.at(rows_.global(i) * size_ + columns_.global(j)));
  const std::vector<double> sums = row_sums(matrix_, std::vector<double>(filled_size_, 1), true);
  for (std::size_t i = 0; i < rows_.my_size(); ++i) {
    const std::size_t block = rows_.global(i) / block_;
    if (columns_.is_mine(block))
      matrix_.set(i * width + columns_.before(block) * block_ + i % block_, 1 + sums[rows_.global(i)]);
  }
}

/// A x, or |A| x, the whole of it on each rank.
std::vector<double> LinearSystem::row_sums(const Values& matrix, const std::vector<double>& x, bool absolute) const {
  std::vector<double> sums(filled_size_);
  const std::size_t width = columns_.my_size();
  for (std::size_t i = 0; i < rows_.my_size(); ++i) {
    double& sum = sums[rows_.global(i)];
    for (std::size_t j = 0; j < width; ++j) {
      const double term = matrix.at(i * width + j) * x[columns_.global(j)];
      sum += absolute ? std::abs(term) : term;
    }
  }
  ranks_.sum(sums);
  return sums;
}

std::vector<double> LinearSystem::solve(const Values& factors) const {
  std::vector<double> x = substitute(factors, substitute(factors, right_, Half::lower), Half::upper);
  x.resize(size_);
  return x;
}

/// Block after block: the ranks of its row add up what the solved blocks leave of it, the one that has its diagonal
/// block solves it and sends it to the ranks of its column, who take it from their other rows.
std::vector<double> LinearSystem::substitute(const Values& factors, const std::vector<double>& right, Half half) const {
  std::vector<double> solved(filled_size_);
  std::vector<double> taken(rows_.my_size());
  const std::size_t width = columns_.my_size();
  for (std::size_t turn = 0; turn < rows_.blocks(); ++turn) {
    const std::size_t block = half == Half::lower ? turn : rows_.blocks() - 1 - turn;
    std::vector<double> values(block_);
    if (rows_.is_mine(block)) {
      std::copy_n(taken.begin() + static_cast<std::ptrdiff_t>(rows_.before(block) * block_), block_, values.begin());
      row_ranks_.sum(values);
      for (std::size_t i = 0; i < block_; ++i) values[i] = right[block * block_ + i] - values[i];
      if (columns_.is_mine(block)) solve_block(factors, block, values, half);
    }
    if (!columns_.is_mine(block)) continue;
    column_ranks_.broadcast(std::as_writable_bytes(std::span(values)), rows_.owner(block));
    const std::size_t begin = half == Half::lower ? rows_.before(block + 1) * block_ : 0;
    const std::size_t end = half == Half::lower ? rows_.my_size() : rows_.before(block) * block_;
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t j = 0; j < block_; ++j)
        taken[i] += factors.at(i * width + columns_.before(block) * block_ + j) * values[j];
    if (column_ranks_.first()) std::ranges::copy(values, solved.begin() + static_cast<std::ptrdiff_t>(block * block_));
  }
  ranks_.sum(solved);
  return solved;
}

void LinearSystem::solve_block(const Values& factors, std::size_t block, std::vector<double>& values, Half half) const {
  const std::size_t width = columns_.my_size();
  const std::size_t corner = rows_.before(block) * block_ * width + columns_.before(block) * block_;
  for (std::size_t turn = 0; turn < block_; ++turn) {
    const std::size_t k = half == Half::lower ? turn : block_ - 1 - turn;
    if (half == Half::upper) values[k] /= factors.at(corner + k * width + k);
    const std::size_t begin = half == Half::lower ? k + 1 : 0;
    const std::size_t end = half == Half::lower ? block_ : k;
    for (std::size_t i = begin; i < end; ++i) values[i] -= factors.at(corner + i * width + k) * values[k];
  }
}

double LinearSystem::residual(const std::vector<double>& x) const {
  std::vector<double> filled = x;
  filled.resize(filled_size_, 1);
  const std::vector<double> product = row_sums(matrix_, filled, false);
  double error = 0;
  double largest = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    error = larger(error, std::abs(product[i] - right_[i]));
    largest = larger(largest, std::abs(right_[i]));
  }
  return error / (static_cast<double>(size_) * largest * epsilon_of_type(type_));
}

}  // namespace isthmus::hpcc
