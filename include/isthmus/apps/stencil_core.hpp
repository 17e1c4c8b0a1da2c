#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "isthmus/apps/filter.hpp"
#include "isthmus/stream/vocabulary.hpp"

/// The circuit of the image filter: what the streaming actor and the modelled OpenCL kernel both instantiate. Plain C++
/// with fixed arrays, as HLS tools accept it; one word of 16 pixels a call.
namespace isthmus::apps {

inline constexpr int kWordPixels = static_cast<int>(kWordBytes) / kChannels;
inline constexpr int kMaxRowWords = 256;                         ///< the line buffers hold rows of up to 4096 pixels
inline constexpr int kWordLanes = static_cast<int>(kWordBytes);  ///< channels of all pixels of a word

/// The coefficients in on-chip memory: for each tap one a lane.
using StencilTaps = std::array<std::array<std::int16_t, kWordLanes>, kTaps>;

/// The words of one column above, at and below the row of a result.
using StencilColumn = std::array<Word, 3>;

/// The stencil over images that come word by word, row by row. Two line buffers and a window of three words by three
/// rows hold what it needs; it is one row and one word behind its input, and repeats pixels at the edges.
class StencilCore {
 public:
  /// `size.width` is a multiple of 16 up to 4096; throws Error if not.
  void configure(ImageSize size, int shift);
  /// `by_tap`: row by row of the stencil, a value for each channel.
  void set_coefficient(int by_tap, std::int16_t value);

  /// Words of an image, and how many words later than its input a result comes.
  int image_words() const { return row_words_ * rows_; }
  int words_behind() const { return row_words_ + 1; }

  /// Takes the next word; true if `out` is the next result.
  bool take(const Word& in, Word& out);
  /// After an image's last word, `words_behind()` times: true if `out` is the next result.
  bool flush(Word& out) { return take({}, out); }

 private:
  void shift_in(const Word& in);
  void result(Word& out);

  int row_words_ = 0;
  int rows_ = 0;
  int shift_ = 0;
  int column_ = 0;       ///< column of the next word
  int words_taken_ = 0;  ///< words of this image that are taken, flushes included
  int out_row_ = 0;
  int out_column_ = 0;
  StencilTaps taps_{};
  std::array<StencilColumn, 3> columns_{};  ///< columns left of, at and right of the result, from `oldest_` on
  std::size_t oldest_ = 0;
  std::array<std::array<Word, kMaxRowWords>, 2> lines_{};  ///< the row before the current one, and the row before that
};

}  // namespace isthmus::apps
