#pragma once

#include "apps/matrix_multiply/tile_product.hpp"
#include "isthmus/offload/datapath.hpp"

namespace isthmus::apps {

/// The layout of square matrices. kTile rows of the left one follow each other, column by column in them;
/// of the right one kTile columns, row by row; of the product tile by tile, row by row in each. Smaller matrices are a
/// tile.
struct TiledLayout {
  std::size_t size;  ///< rows, and columns: a multiple of kTile, or of kSide below it

  std::size_t side() const { return size < kTile ? size : kTile; }
  std::size_t panels() const { return size / side(); }
  std::size_t values() const { return size * size; }
  /// Index in the left matrix, and in the right one with row and column exchanged.
  std::size_t left(std::size_t row, std::size_t column) const {
    return (row / side() * size + column) * side() + row % side();
  }
  std::size_t product(std::size_t row, std::size_t column) const {
    return ((row / side() * panels() + column / side()) * side() + row % side()) * side() + column % side();
  }
};

/// The arguments of kernels/matrix_multiply.cl.
enum ProductArgument : std::size_t { kLeft, kRight, kProduct };

/// Multiplies two matrices on a systolic array: tile after tile of the product, the last one leaves while the next is
/// worked on.
class ProductPath final : public offload::Datapath {
 public:
  explicit ProductPath(const TiledLayout& layout);

  std::uint64_t onchip_bytes() const override;
  std::uint64_t regions() const override;
  offload::Region region(std::size_t port, std::uint64_t number) const override;
  /// A tile; nothing leaves beside the first.
  Rounds rounds() const override { return {.first = pairs() * 2, .length = pairs() * 2}; }
  offload::Region result() const override;

  void begin() override;
  int take(std::size_t port, const Word& word) override;
  bool give(Word& word) override;
  int finish() override;

 private:
  std::uint64_t pairs() const { return layout_.size; }
  std::size_t words_of_tile() const { return layout_.side() * words_; }
  void end_pair();
  void change_tiles();

  TiledLayout layout_;
  std::size_t words_;  ///< words of a column or a row of a tile
  int cycles_;         ///< cycles of a pair of column and row
  TileProduct current_;
  TileProduct leaving_;
  std::size_t word_ = 0;  ///< index of the word in the column or the row that comes
  bool row_ = false;
  std::uint64_t pair_ = 0;
  std::size_t due_ = 0;  ///< words that may leave
  std::size_t given_ = 0;
  bool complete_ = false;  ///< whether the tile that is worked on is complete
  bool leaves_ = false;    ///< whether an earlier tile is still leaving
};

}  // namespace isthmus::apps
