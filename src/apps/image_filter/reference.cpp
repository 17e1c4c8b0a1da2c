#include <algorithm>
#include <cassert>
#include <vector>

#include "isthmus/apps/filter.hpp"
#include "this_cpu.hpp"

namespace isthmus::apps {
namespace {

/// One row of one channel, its first and last value repeated once more outside.
using Row = std::vector<std::int16_t>;

inline void extract(std::span<const std::byte> image, ImageSize size, int y, std::size_t channel, Row& row) {
  const auto width = static_cast<std::size_t>(size.width);
  const std::byte* pixels =
      image.data() + static_cast<std::size_t>(std::clamp(y, 0, size.height - 1)) * width * kChannels;
  for (std::size_t x = 0; x < width; ++x) row[x + 1] = std::to_integer<std::int16_t>(pixels[x * kChannels + channel]);
  row.front() = row[1];
  row.back() = row[width];
}

inline void weigh(const std::array<std::int16_t, kTaps> c, const Row& above, const Row& row, const Row& below,
                  std::vector<std::int32_t>& sums) {
  for (std::size_t x = 0; x < sums.size(); ++x)
    sums[x] = c[0] * above[x] + c[1] * above[x + 1] + c[2] * above[x + 2] +  //
              c[3] * row[x] + c[4] * row[x + 1] + c[5] * row[x + 2] +        //
              c[6] * below[x] + c[7] * below[x + 1] + c[8] * below[x + 2];
}

inline std::byte narrow(std::int32_t sum, int shift) {
  const std::int32_t half = shift > 0 ? std::int32_t{1} << (shift - 1) : 0;
  return static_cast<std::byte>(std::clamp((sum + half) >> shift, 0, 255));
}

}  // namespace

ISTHMUS_FOR_THIS_CPU void filter_reference(const FilterSpec& spec, ImageSize size, std::span<const std::byte> in,
                                           std::span<std::byte> out) {
  assert(in.size() == size.bytes() && out.size() == size.bytes());
  const auto width = static_cast<std::size_t>(size.width);
  Row above(width + 2), row(width + 2), below(width + 2);
  std::vector<std::int32_t> sums(width);
  for (std::size_t channel = 0; channel < kChannels; ++channel) {
    extract(in, size, 0, channel, above);
    extract(in, size, 0, channel, row);
    std::byte* result = out.data() + channel;
    for (int y = 0; y < size.height; ++y) {
      extract(in, size, y + 1, channel, below);
      weigh(spec.coefficients[channel], above, row, below, sums);
      for (std::size_t x = 0; x < width; ++x, result += kChannels) *result = narrow(sums[x], spec.shift);
      above.swap(row);
      row.swap(below);
    }
  }
}

}  // namespace isthmus::apps
