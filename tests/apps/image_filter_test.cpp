#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "apps/random_filter.hpp"
#include "isthmus/apps/filter.hpp"

namespace isthmus::apps {
namespace {

using testing::ElementsAre;

/// Filters one image of `size` whose four channels are all `pixels`, with the same coefficients for each; gives red.
std::vector<int> filter_grey(ImageSize size, const std::vector<int>& pixels,
                             const std::array<std::int16_t, kTaps>& taps, int shift) {
  std::vector<std::byte> in;
  for (const int pixel : pixels) in.insert(in.end(), kChannels, static_cast<std::byte>(pixel));
  std::vector<std::byte> out(in.size());
  filter_reference({.coefficients = {taps, taps, taps, taps}, .shift = shift}, size, in, out);
  std::vector<int> red;
  for (std::size_t i = 0; i < out.size(); i += kChannels) red.push_back(std::to_integer<int>(out[i]));
  return red;
}

/// One output byte by the definition, in 64 bits and with a division instead of a shift.
int by_definition(const FilterSpec& spec, ImageSize size, const std::vector<std::byte>& in, int x, int y, int channel) {
  std::int64_t sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      const int column = std::clamp(x + dx, 0, size.width - 1);
      const int row = std::clamp(y + dy, 0, size.height - 1);
      const auto byte = static_cast<std::size_t>((row * size.width + column) * kChannels + channel);
      const auto tap = static_cast<std::size_t>((dy + 1) * 3 + dx + 1);
      sum += std::int64_t{spec.coefficients[static_cast<std::size_t>(channel)][tap]} * std::to_integer<int>(in[byte]);
    }
  const std::int64_t divisor = std::int64_t{1} << spec.shift;
  const std::int64_t doubled = 2 * sum + divisor;  // floor(sum / divisor + 1/2)
  const std::int64_t floor = doubled >= 0 ? doubled / (2 * divisor) : -((-doubled + 2 * divisor - 1) / (2 * divisor));
  return static_cast<int>(std::clamp<std::int64_t>(floor, 0, 255));
}

TEST(FilterReference, TheCentreTapAloneLeavesAnImageAsItIs) {
  EXPECT_THAT(filter_grey({2, 2}, {1, 20, 255, 0}, {0, 0, 0, 0, 256, 0, 0, 0, 0}, 8), ElementsAre(1, 20, 255, 0));
}

TEST(FilterReference, EachTapTakesTheNeighbourAtItsPlace) {
  const std::vector<int> pixels{1, 2, 3, 4, 5, 6, 7, 8, 9};
  for (std::size_t tap = 0; tap < kTaps; ++tap) {
    std::array<std::int16_t, kTaps> taps{};
    taps[tap] = 1;
    EXPECT_EQ(filter_grey({3, 3}, pixels, taps, 0)[4], pixels[tap]) << "tap " << tap;
  }
}

TEST(FilterReference, EdgePixelsAreRepeated) {
  // The left upper neighbour: the first row and column see themselves.
  EXPECT_THAT(filter_grey({3, 2}, {10, 20, 30, 40, 50, 60}, {1, 0, 0, 0, 0, 0, 0, 0, 0}, 0),
              ElementsAre(10, 10, 20, 10, 10, 20));
  // The right lower one: the last row and column do.
  EXPECT_THAT(filter_grey({3, 2}, {10, 20, 30, 40, 50, 60}, {0, 0, 0, 0, 0, 0, 0, 0, 1}, 0),
              ElementsAre(50, 60, 60, 50, 60, 60));
  EXPECT_THAT(filter_grey({1, 1}, {7}, {1, 1, 1, 1, 1, 1, 1, 1, 1}, 0), ElementsAre(63));
}

TEST(FilterReference, HalvesAreRoundedUp) {
  EXPECT_THAT(filter_grey({4, 1}, {1, 2, 3, 5}, {0, 0, 0, 0, 1, 0, 0, 0, 0}, 1), ElementsAre(1, 1, 2, 3));
  EXPECT_THAT(filter_grey({4, 1}, {1, 2, 3, 5}, {0, 0, 0, 0, 1, 0, 0, 0, 0}, 2), ElementsAre(0, 1, 1, 1));
}

TEST(FilterReference, SumsOutsideAByteAreSaturated) {
  EXPECT_THAT(filter_grey({3, 1}, {0, 100, 255}, {0, 0, 0, 0, 3, 0, 0, 0, 0}, 0), ElementsAre(0, 255, 255));
  EXPECT_THAT(filter_grey({3, 1}, {0, 100, 255}, {0, 0, 0, 0, -3, 0, 0, 0, 0}, 0), ElementsAre(0, 0, 0));
}

TEST(FilterReference, TheLargestSumsFitThirtyTwoBits) {
  std::array<std::int16_t, kTaps> most{};
  most.fill(32767);
  EXPECT_THAT(filter_grey({1, 1}, {255}, most, 19), ElementsAre(143));  // 9 * 255 * 32767 / 2^19 = 143.4
  EXPECT_THAT(filter_grey({1, 1}, {255}, most, 31), ElementsAre(0));
  std::array<std::int16_t, kTaps> least{};
  least.fill(-32768);
  EXPECT_THAT(filter_grey({1, 1}, {255}, least, 31), ElementsAre(0));
}

TEST(FilterReference, EachChannelHasItsOwnCoefficients) {
  FilterSpec spec;
  for (std::size_t channel = 0; channel < kChannels; ++channel)
    spec.coefficients[channel][4] = static_cast<std::int16_t>(channel + 1);
  const std::vector<std::byte> in(kChannels, std::byte{10});
  std::vector<std::byte> out(kChannels);
  filter_reference(spec, {1, 1}, in, out);
  EXPECT_THAT(out, ElementsAre(std::byte{10}, std::byte{20}, std::byte{30}, std::byte{40}));
}

RC_GTEST_PROP(FilterReference, FollowsTheDefinitionForAnyFilterAndSize, ()) {
  const auto spec = *random_filter();
  const ImageSize size{*rc::gen::inRange(1, 40), *rc::gen::inRange(1, 12)};
  const auto in = *random_pixels(size);
  std::vector<std::byte> out(size.bytes());
  filter_reference(spec, size, in, out);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      for (int channel = 0; channel < kChannels; ++channel) {
        const auto byte = static_cast<std::size_t>((y * size.width + x) * kChannels + channel);
        RC_ASSERT(std::to_integer<int>(out[byte]) == by_definition(spec, size, in, x, y, channel));
      }
}

TEST(FilterSpec, ByTapPutsTheChannelsOfATapSideBySide) {
  const FilterSpec spec = default_filter();
  const auto table = by_tap(spec);
  for (std::size_t tap = 0; tap < kTaps; ++tap)
    for (std::size_t channel = 0; channel < kChannels; ++channel)
      EXPECT_EQ(table[4 * tap + channel], spec.coefficients[channel][tap]);
}

TEST(FilterSpec, TheApplicationsFilterKeepsAFlatImageFlat) {
  const ImageSize size{5, 4};
  const std::vector<std::byte> in(size.bytes(), std::byte{77});
  std::vector<std::byte> out(size.bytes());
  filter_reference(default_filter(), size, in, out);
  EXPECT_EQ(in, out);
}

}  // namespace
}  // namespace isthmus::apps
