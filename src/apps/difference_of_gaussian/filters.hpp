#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "isthmus/apps/filter.hpp"

/// Difference of two Gaussian filters over a photograph in grey (min2019 V.C).
namespace isthmus::apps {

inline constexpr int kReach = 2;  ///< pixels by which a filter reaches beyond its own
inline constexpr int kWeights = 2 * kReach + 1;

/// Weights of a filter that is the same in both directions, in units of 1 / 256.
using Weights = std::array<std::int32_t, kWeights>;
inline constexpr Weights kNarrow = {16, 64, 96, 64, 16};
inline constexpr Weights kWide = {39, 57, 64, 57, 39};

/// Luma of a pixel in red, green and blue (ITU-R BT.601), in units of 1 / 256.
std::byte grey(const std::byte* pixel);

/// A pixel of a filtered image; pixels outside repeat the nearest one inside.
std::byte filtered(const Weights& weights, ImageSize size, std::span<const std::byte> image, std::uint64_t pixel);

/// The brightness through the narrow filter above that through the wide one.
std::byte brighter(std::byte narrow, std::byte wide);

/// All of it the plain way, each filter by rows and then by columns: what every result is compared with.
void difference_reference(ImageSize size, std::span<const std::byte> photograph, std::span<std::byte> out);

}  // namespace isthmus::apps
