#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// Convolutions and poolings of AlexNet (Krizhevsky 2012, table and section 3.5) with values of 8 bits, sums of 32.
namespace isthmus::apps {

struct Shape {
  int side;  ///< rows and columns
  int channels;
};

/// Values lie row by row, the channels of a place beside each other.
constexpr std::uint64_t values_of(Shape shape) {
  return static_cast<std::uint64_t>(shape.side) * static_cast<std::uint64_t>(shape.side) *
         static_cast<std::uint64_t>(shape.channels);
}

struct Layer {
  std::string name;
  bool pools;  ///< whether the layer pools (takes the largest); else it convolves
  Shape in;
  Shape out;
  int window;  ///< rows and columns of the window that a value is made of
  int stride;
  int padding = 0;
  int groups = 1;
  int shift = 0;  ///< right shift that turns a sum into 8 bits

  std::uint64_t weights() const;
  /// Multiplications, or comparisons.
  std::uint64_t operations() const;
  /// Rows of the input that are needed for the first `values` of the output.
  int rows_for(std::uint64_t values) const;
};

inline constexpr Shape kImage{.side = 227, .channels = 3};

/// The first layers of the network.
std::vector<Layer> layers(int count);
inline constexpr int kLayers = 8;

/// Weights of a layer: those of an output channel beside each other, by row, column and channel of the input.
std::vector<std::byte> weights_of(const Layer& layer);

/// A number of an image in 8 bits, and back.
std::byte quantised(float value);
float dequantised(std::byte value);

/// Some values of a layer's output, from number `first` on.
void compute(const Layer& layer, std::span<const std::byte> weights, std::span<const std::byte> in, std::uint64_t first,
             std::span<std::byte> out);

/// All of the network the plain way, channel by channel: an image's planes, and the planes that come out.
void network_reference(const std::vector<Layer>& network, std::span<const float> image, std::span<float> out);

}  // namespace isthmus::apps
