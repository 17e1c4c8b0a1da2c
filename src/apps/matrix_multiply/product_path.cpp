#include "apps/matrix_multiply/product_path.hpp"

#include <algorithm>
#include <utility>

#include "apps/matrix/floats.hpp"

namespace isthmus::apps {
namespace {

/// Cycles from the last operand to the last sum: a multiplier and an adder of single precision, and a value's way
/// through rows and columns of the array.
constexpr int kPipeline = 8 + 12 + 2 * static_cast<int>(kSide);

}  // namespace

ProductPath::ProductPath(const TiledLayout& layout)
    : layout_(layout),
      words_(layout.side() / kSide),
      cycles_(static_cast<int>(std::max(2 * words_, words_ * words_))),
      current_(layout.side()),
      leaving_(layout.side()) {}

/// Two tiles of sums, and two pairs of a column and a row.
std::uint64_t ProductPath::onchip_bytes() const {
  return bytes_of_floats(2 * layout_.side() * layout_.side() + 4 * layout_.side());
}

std::uint64_t ProductPath::regions() const {
  return layout_.panels() * layout_.panels() * pairs() * 2;
}

offload::Region ProductPath::region(std::size_t /*port*/, std::uint64_t number) const {
  const std::uint64_t tile = number / (2 * pairs());
  const std::uint64_t pair = number / 2 % pairs();
  const bool row = number % 2 == 1;
  const std::uint64_t panel = row ? tile % layout_.panels() : tile / layout_.panels();
  return {.argument = row ? kRight : kLeft,
          .offset = bytes_of_floats((panel * pairs() + pair) * layout_.side()),
          .bytes = bytes_of_floats(layout_.side())};
}

offload::Region ProductPath::result() const {
  return {.argument = kProduct, .offset = 0, .bytes = bytes_of_floats(layout_.values())};
}

void ProductPath::begin() {
  current_.clear();
  word_ = due_ = given_ = 0;
  pair_ = 0;
  row_ = complete_ = leaves_ = false;
}

int ProductPath::take(std::size_t /*port*/, const Word& word) {
  if (complete_) change_tiles();
  if (row_)
    current_.take_row(word_, word);
  else
    current_.take_column(word_, word);
  if (++word_ < words_) return 0;
  word_ = 0;
  row_ = !row_;
  if (row_) return 0;
  end_pair();
  return cycles_;
}

void ProductPath::end_pair() {
  current_.end_pair();
  // The last tile leaves evenly, so that it is gone when this one is complete.
  if (leaves_) due_ = std::min(words_of_tile(), due_ + (words_of_tile() + pairs() - 1) / pairs());
  complete_ = ++pair_ == pairs();
}

/// The tile is complete, and nothing of the one before it is left.
void ProductPath::change_tiles() {
  current_.finish();
  std::swap(current_, leaving_);
  current_.clear();
  due_ = given_ = 0;
  pair_ = 0;
  complete_ = false;
  leaves_ = true;
}

bool ProductPath::give(Word& word) {
  if (given_ == due_) return false;
  word = leaving_.word(given_++);
  return true;
}

int ProductPath::finish() {
  change_tiles();
  due_ = words_of_tile();
  return kPipeline;
}

}  // namespace isthmus::apps
