#pragma once

#include <algorithm>
#include <cstddef>

namespace isthmus::hpcc {

/// One dimension of a matrix in blocks that are dealt out to the rows, or columns, of a grid of ranks by turns: block b
/// belongs to part b % parts, as its block b / parts (meyer2024 figure 4.8). The last block reaches past the end of the
/// matrix where blocks do not divide it.
class BlockCyclic {
 public:
  BlockCyclic(std::size_t size, std::size_t block_size, int parts, int mine)
      : size_(size),
        blocks_((size + block_size - 1) / block_size),
        block_size_(block_size),
        parts_(static_cast<std::size_t>(parts)),
        mine_(static_cast<std::size_t>(mine)) {}

  std::size_t blocks() const { return blocks_; }
  int owner(std::size_t block) const { return static_cast<int>(block % parts_); }
  bool is_mine(std::size_t block) const { return block % parts_ == mine_; }
  /// How many of my blocks come before `block`: where it lies if it is mine.
  std::size_t before(std::size_t block) const { return (block + parts_ - 1 - mine_) / parts_; }
  std::size_t my_blocks() const { return before(blocks_); }
  /// Values in my blocks, with those past the end of the matrix.
  std::size_t my_size() const { return my_blocks() * block_size_; }
  /// The number of these values that belong to the matrix.
  std::size_t my_values() const { return my_size() - (is_mine(blocks_ - 1) ? blocks_ * block_size_ - size_ : 0); }
  /// The number of the matrix's values in my blocks behind `block`.
  std::size_t my_values_behind(std::size_t block) const {
    return my_values() - std::min(my_values(), before(block + 1) * block_size_);
  }
  /// The place in the matrix of one of my values.
  std::size_t global(std::size_t local) const {
    return (local / block_size_ * parts_ + mine_) * block_size_ + local % block_size_;
  }

 private:
  std::size_t size_;
  std::size_t blocks_;
  std::size_t block_size_;
  std::size_t parts_;
  std::size_t mine_;
};

}  // namespace isthmus::hpcc
