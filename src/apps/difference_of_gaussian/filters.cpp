#include "apps/difference_of_gaussian/filters.hpp"

#include <algorithm>
#include <vector>

namespace isthmus::apps {
namespace {

constexpr std::int32_t kRed = 77;
constexpr std::int32_t kGreen = 150;
constexpr std::int32_t kBlue = 29;
constexpr int kShift = 8;

int value(std::byte byte) {
  return std::to_integer<int>(byte);
}

/// The place of a pixel in an image of `columns`.
std::size_t at(int column, int row, int columns) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
}

/// Sums of a filter's rows, not yet rounded.
std::vector<std::int32_t> across(const Weights& weights, ImageSize size, const std::vector<int>& image) {
  std::vector<std::int32_t> sums(image.size());
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      for (int i = 0; i < kWeights; ++i)
        sums[at(x, y, size.width)] += weights[static_cast<std::size_t>(i)] *
                                      image[at(std::clamp(x + i - kReach, 0, size.width - 1), y, size.width)];
  return sums;
}

std::vector<std::int32_t> down(const Weights& weights, ImageSize size, const std::vector<std::int32_t>& rows) {
  std::vector<std::int32_t> image(rows.size());
  for (int y = 0; y < size.height; ++y)
    for (int i = 0; i < kWeights; ++i) {
      const int from = std::clamp(y + i - kReach, 0, size.height - 1);
      for (int x = 0; x < size.width; ++x)
        image[at(x, y, size.width)] += weights[static_cast<std::size_t>(i)] * rows[at(x, from, size.width)];
    }
  for (std::int32_t& each : image) each >>= 2 * kShift;
  return image;
}

}  // namespace

std::byte grey(const std::byte* pixel) {
  return static_cast<std::byte>((kRed * value(pixel[0]) + kGreen * value(pixel[1]) + kBlue * value(pixel[2])) >>
                                kShift);
}

std::byte filtered(const Weights& weights, ImageSize size, std::span<const std::byte> image, std::uint64_t pixel) {
  const auto x = static_cast<int>(pixel % static_cast<std::uint64_t>(size.width));
  const auto y = static_cast<int>(pixel / static_cast<std::uint64_t>(size.width));
  std::int32_t sum = 0;
  for (int row = 0; row < kWeights; ++row) {
    const int from = std::clamp(y + row - kReach, 0, size.height - 1);
    std::int32_t of_row = 0;
    for (int i = 0; i < kWeights; ++i)
      of_row += weights[static_cast<std::size_t>(i)] *
                value(image[at(std::clamp(x + i - kReach, 0, size.width - 1), from, size.width)]);
    sum += weights[static_cast<std::size_t>(row)] * of_row;
  }
  return static_cast<std::byte>(sum >> (2 * kShift));
}

std::byte brighter(std::byte narrow, std::byte wide) {
  return static_cast<std::byte>(std::max(0, value(narrow) - value(wide)));
}

void difference_reference(ImageSize size, std::span<const std::byte> photograph, std::span<std::byte> out) {
  std::vector<int> image(out.size());
  for (std::size_t pixel = 0; pixel < image.size(); ++pixel) {
    const std::byte* at = &photograph[pixel * kChannels];
    image[pixel] = (value(at[0]) * kRed + value(at[1]) * kGreen + value(at[2]) * kBlue) / (1 << kShift);
  }
  const auto narrow = down(kNarrow, size, across(kNarrow, size, image));
  const auto wide = down(kWide, size, across(kWide, size, image));
  for (std::size_t pixel = 0; pixel < image.size(); ++pixel)
    out[pixel] = static_cast<std::byte>(narrow[pixel] > wide[pixel] ? narrow[pixel] - wide[pixel] : 0);
}

}  // namespace isthmus::apps
