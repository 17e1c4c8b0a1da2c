#include "isthmus/apps/stencil_core.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isthmus/base/error.hpp"
#include "this_cpu.hpp"

namespace isthmus::apps {
namespace {

/// One row with the pixels next to the word on both sides, channel by channel.
using Row = std::array<std::int16_t, kWordLanes + 2 * kChannels>;

/// The columns of pixels that a result depends on.
struct StencilWindow {
  const StencilColumn& left;
  const StencilColumn& here;
  const StencilColumn& right;
  bool at_left;  ///< of the image: the pixel itself stands for its neighbour
  bool at_right;
  bool at_top;
  bool at_bottom;
};

inline void unpack(const StencilWindow& window, std::size_t from, Row& row) {
  const auto& here = window.here[from].bytes;
  const std::byte* before = window.at_left ? here.data() : window.left[from].bytes.data() + kWordLanes - kChannels;
  const std::byte* after = window.at_right ? here.data() + kWordLanes - kChannels : window.right[from].bytes.data();
  for (int i = 0; i < kChannels; ++i) {
    row[i] = std::to_integer<std::int16_t>(before[i]);
    row[i + kChannels + kWordLanes] = std::to_integer<std::int16_t>(after[i]);
  }
  for (int i = 0; i < kWordLanes; ++i) row[i + kChannels] = std::to_integer<std::int16_t>(here[i]);
}

/// Sixteen pixels at once: 576 products, 64 sums, rounding shift, saturation.
ISTHMUS_FOR_THIS_CPU void filter(const StencilTaps& taps, int shift, const StencilWindow& window, Word& out) {
  std::array<Row, 3> rows;
  unpack(window, window.at_top ? 1 : 0, rows[0]);
  unpack(window, 1, rows[1]);
  unpack(window, window.at_bottom ? 1 : 2, rows[2]);
  const std::int32_t half = shift > 0 ? std::int32_t{1} << (shift - 1) : 0;
  for (int i = 0; i < kWordLanes; ++i) {
    std::int32_t sum = half;
    for (int tap = 0; tap < kTaps; ++tap) sum += taps[tap][i] * rows[tap / 3][i + tap % 3 * kChannels];
    out.bytes[i] = static_cast<std::byte>(std::clamp(sum >> shift, 0, 255));
  }
}

}  // namespace

void StencilCore::configure(ImageSize size, int shift) {
  if (size.width < kWordPixels || size.width % kWordPixels != 0 || size.width > kMaxRowWords * kWordPixels ||
      size.height < 1)
    throw Error(fmt::format("an image of {} x {} pixels: expected a width that is a multiple of {} up to {}",
                            size.width, size.height, kWordPixels, kMaxRowWords * kWordPixels));
  row_words_ = size.width / kWordPixels;
  rows_ = size.height;
  shift_ = shift;
}

void StencilCore::set_coefficient(int by_tap, std::int16_t value) {
  for (int pixel = 0; pixel < kWordPixels; ++pixel)
    taps_[by_tap / kChannels][pixel * kChannels + by_tap % kChannels] = value;
}

bool StencilCore::take(const Word& in, Word& out) {
  shift_in(in);
  if (words_taken_ <= words_behind()) return false;
  result(out);
  return true;
}

void StencilCore::shift_in(const Word& in) {
  Word& above = lines_[1][column_];
  Word& at = lines_[0][column_];
  columns_[oldest_] = {above, at, in};
  oldest_ = (oldest_ + 1) % columns_.size();
  above = at;
  at = in;
  if (++column_ == row_words_) column_ = 0;
  ++words_taken_;
}

void StencilCore::result(Word& out) {
  filter(taps_, shift_,
         {.left = columns_[oldest_],
          .here = columns_[(oldest_ + 1) % columns_.size()],
          .right = columns_[(oldest_ + 2) % columns_.size()],
          .at_left = out_column_ == 0,
          .at_right = out_column_ == row_words_ - 1,
          .at_top = out_row_ == 0,
          .at_bottom = out_row_ == rows_ - 1},
         out);
  if (++out_column_ < row_words_) return;
  out_column_ = 0;
  if (++out_row_ < rows_) return;
  out_row_ = column_ = words_taken_ = 0;
}

}  // namespace isthmus::apps
