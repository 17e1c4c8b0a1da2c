#pragma once

#include <cstddef>

namespace isthmus::hpcc {

/// One dimension of a matrix in blocks that are dealt out to the rows, or columns, of a grid of ranks by turns: block b
/// belongs to part b % parts, as its block b / parts (meyer2024 figure 4.8).
class BlockCyclic {
 public:
  BlockCyclic(std::size_t blocks, std::size_t block_size, int parts, int mine)
      : blocks_(blocks),
        block_size_(block_size),
        parts_(static_cast<std::size_t>(parts)),
        mine_(static_cast<std::size_t>(mine)) {}

  std::size_t blocks() const { return blocks_; }
  int owner(std::size_t block) const { return static_cast<int>(block % parts_); }
  bool is_mine(std::size_t block) const { return block % parts_ == mine_; }
  /// How many of my blocks come before `block`: where it lies if it is mine.
  std::size_t before(std::size_t block) const { return (block + parts_ - 1 - mine_) / parts_; }
  std::size_t my_blocks() const { return before(blocks_); }
  /// Values in my blocks.
  std::size_t my_size() const { return my_blocks() * block_size_; }
  /// The place in the matrix of one of my values.
  std::size_t global(std::size_t local) const {
    return (local / block_size_ * parts_ + mine_) * block_size_ + local % block_size_;
  }

 private:
  std::size_t blocks_;
  std::size_t block_size_;
  std::size_t parts_;
  std::size_t mine_;
};

}  // namespace isthmus::hpcc
