#include "apps/matrix_multiply/tile_product.hpp"

#include <algorithm>

#include "apps/matrix/this_cpu.hpp"

namespace isthmus::apps {
namespace {

static_assert(sizeof(Word) == kSide * sizeof(float));

/// Half of a row of the array: what a register holds.
constexpr std::size_t kLanes = kSide / 2;
using Lanes __attribute__((vector_size(kLanes * sizeof(float)), may_alias)) = float;

constexpr std::size_t kRows = 4;  // of sums that stay in registers

/// Adds the products of some pairs to kSide rows of kSide sums; a row is `stride` words behind the one before.
ISTHMUS_WITH_PRODUCTS void add_products(const Word* column, const Word* row, std::size_t pairs, Word* sums,
                                        std::size_t stride) {
  for (std::size_t first = 0; first < kSide; first += kRows) {
    Lanes kept[kRows][2];  // NOLINT(*-c-arrays): std::array drops the type's attributes
    for (std::size_t i = 0; i < kRows; ++i) {
      const Lanes* from = reinterpret_cast<const Lanes*>(sums + (first + i) * stride);
      kept[i][0] = from[0];
      kept[i][1] = from[1];
    }
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      const Lanes* right = reinterpret_cast<const Lanes*>(row + pair);
      const float* left = reinterpret_cast<const float*>(column + pair) + first;
      for (std::size_t i = 0; i < kRows; ++i) {
        kept[i][0] += left[i] * right[0];
        kept[i][1] += left[i] * right[1];
      }
    }
    for (std::size_t i = 0; i < kRows; ++i) {
      auto* to = reinterpret_cast<Lanes*>(sums + (first + i) * stride);
      to[0] = kept[i][0];
      to[1] = kept[i][1];
    }
  }
}

}  // namespace

TileProduct::TileProduct(std::size_t side)
    : words_(side / kSide), columns_(words_ * kPairs), rows_(words_ * kPairs), sums_(side * words_) {}

void TileProduct::clear() {
  pairs_ = 0;
  std::ranges::fill(sums_, Aligned{});
}

void TileProduct::take_column(std::size_t number, const Word& word) {
  columns_[number * kPairs + pairs_].word = word;
}

void TileProduct::take_row(std::size_t number, const Word& word) {
  rows_[number * kPairs + pairs_].word = word;
}

void TileProduct::end_pair() {
  if (++pairs_ == kPairs) add_up();
}

void TileProduct::finish() {
  add_up();
}

void TileProduct::add_up() {
  for (std::size_t right = 0; right < words_; ++right)
    for (std::size_t left = 0; left < words_; ++left)
      add_products(&columns_[left * kPairs].word, &rows_[right * kPairs].word, pairs_,
                   &sums_[left * kSide * words_ + right].word, words_);
  pairs_ = 0;
}

Word TileProduct::word(std::size_t number) const {
  return sums_[number].word;
}

}  // namespace isthmus::apps
