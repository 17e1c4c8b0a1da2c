#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

/// The image filter of stacc VI-B1: a 3x3 stencil over RGBA images.
namespace isthmus::apps {

inline constexpr int kChannels = 4;  ///< red, green, blue, alpha: one byte each
inline constexpr int kTaps = 9;      ///< coefficients a channel, row by row from the top left

struct ImageSize {
  int width = 1920;
  int height = 1080;
  constexpr std::size_t bytes() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * kChannels;
  }
  constexpr bool operator==(const ImageSize&) const = default;
};

/// What the filter computes for each channel by itself: the 32-bit sum of nine products, shifted right by `shift`
/// (0..31) with halves rounded up, saturated to 0..255. Pixels outside the image repeat the nearest one inside.
struct FilterSpec {
  std::array<std::array<std::int16_t, kTaps>, kChannels> coefficients{};
  int shift = 0;
};

/// The filter that the application runs: Gaussian blur of red, sharpened green, a weighted blue that looks for edges
/// from the upper left, alpha untouched; in units of 1/256.
FilterSpec default_filter();

/// The coefficients as the kernels take them: for each tap one value a channel.
std::array<std::int16_t, kTaps * kChannels> by_tap(const FilterSpec& spec);

/// The filter computed the plain way: what every back end's result is compared with. `in` and `out` hold
/// `size.bytes()`.
void filter_reference(const FilterSpec& spec, ImageSize size, std::span<const std::byte> in, std::span<std::byte> out);

}  // namespace isthmus::apps
