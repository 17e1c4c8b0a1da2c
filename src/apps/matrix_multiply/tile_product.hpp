#pragma once

#include <cstddef>
#include <vector>

#include "isthmus/stream.hpp"

namespace isthmus::apps {

/// The multipliers of the array are kSide by kSide; a tile of the product that they work on has at most kTile rows and
/// columns, which lie on chip.
inline constexpr std::size_t kSide = 16;
inline constexpr std::size_t kTile = 256;

/// The sums of one square tile in single precision: columns of one matrix come, and rows of the other, and each pair
/// adds its outer product. The sums are worked out some pairs at a time, each in the order of the pairs.
class TileProduct {
 public:
  explicit TileProduct(std::size_t side);

  void clear();
  /// Words `number` of the column of the next pair, and of its row.
  void take_column(std::size_t number, const Word& word);
  void take_row(std::size_t number, const Word& word);
  /// The pair is complete.
  void end_pair();
  /// All pairs have come.
  void finish();
  /// The sums, row by row.
  Word word(std::size_t number) const;

 private:
  static constexpr std::size_t kPairs = 64;  ///< pairs of columns and rows that are multiplied at a time

  void add_up();

  /// A word, where wide registers like it.
  struct alignas(kWordBytes) Aligned {
    Word word{};
  };

  std::size_t words_;  ///< words of a row of sums
  std::size_t pairs_ = 0;
  std::vector<Aligned> columns_;  ///< columns: a word of each pair, then the next word of each
  std::vector<Aligned> rows_;     ///< rows: a word of each pair, then the next word of each
  std::vector<Aligned> sums_;
};

}  // namespace isthmus::apps
