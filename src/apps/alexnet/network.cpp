#include "apps/alexnet/network.hpp"

#include <algorithm>
#include <cmath>

#include "isthmus/base/random.hpp"

namespace isthmus::apps {
namespace {

constexpr float kScale = 127;
constexpr int kMost = 127;

std::size_t at(int place) {
  return static_cast<std::size_t>(place);
}

int signed_of(std::byte value) {
  return static_cast<std::int8_t>(value);
}

std::byte rectified(std::int32_t sum, int shift) {
  return static_cast<std::byte>(std::clamp(sum >> shift, 0, kMost));
}

/// A value that a window of the input makes.
struct WindowResult {
  int row;
  int column;
  int channel;
};

WindowResult window_of(const Layer& layer, std::uint64_t value) {
  const auto channels = static_cast<std::uint64_t>(layer.out.channels);
  const auto side = static_cast<std::uint64_t>(layer.out.side);
  return {.row = static_cast<int>(value / channels / side),
          .column = static_cast<int>(value / channels % side),
          .channel = static_cast<int>(value % channels)};
}

std::int32_t product(const std::int8_t* one, const std::int8_t* other, int count) {
  std::int32_t sum = 0;
  for (int i = 0; i < count; ++i) sum += one[i] * other[i];
  return sum;
}

std::byte convolved(const Layer& layer, const std::int8_t* weights, const std::int8_t* in, const WindowResult& to) {
  const int channels = layer.in.channels / layer.groups;
  const int group = to.channel / (layer.out.channels / layer.groups);
  std::int32_t sum = 0;
  for (int y = 0; y < layer.window; ++y) {
    const int row = to.row * layer.stride + y - layer.padding;
    if (row < 0 || row >= layer.in.side) continue;
    for (int x = 0; x < layer.window; ++x) {
      const int column = to.column * layer.stride + x - layer.padding;
      if (column < 0 || column >= layer.in.side) continue;
      sum += product(weights + at(((to.channel * layer.window + y) * layer.window + x) * channels),
                     in + at((row * layer.in.side + column) * layer.in.channels + group * channels), channels);
    }
  }
  return rectified(sum, layer.shift);
}

std::byte pooled(const Layer& layer, const std::int8_t* in, const WindowResult& to) {
  std::int8_t most = 0;  // nothing is below: it comes out of a rectifier
  for (int y = 0; y < layer.window; ++y)
    for (int x = 0; x < layer.window; ++x)
      most = std::max(
          most, in[at(((to.row * layer.stride + y) * layer.in.side + to.column * layer.stride + x) * layer.in.channels +
                      to.channel)]);
  return static_cast<std::byte>(most);
}

using Planes = std::vector<int>;

/// Adds the part of one plane of the input to one of the output.
void add_plane(const Layer& layer, const int* plane, const int* weights, int* to) {
  for (int y = 0; y < layer.window; ++y)
    for (int x = 0; x < layer.window; ++x) {
      const int weight = weights[y * layer.window + x];
      for (int row = 0; row < layer.out.side; ++row) {
        const int from = row * layer.stride + y - layer.padding;
        if (from < 0 || from >= layer.in.side) continue;
        for (int column = 0; column < layer.out.side; ++column) {
          const int beside = column * layer.stride + x - layer.padding;
          if (beside >= 0 && beside < layer.in.side)
            to[row * layer.out.side + column] += weight * plane[from * layer.in.side + beside];
        }
      }
    }
}

Planes convolve(const Layer& layer, const Planes& in) {
  const std::vector<std::byte> packed = weights_of(layer);
  const int channels = layer.in.channels / layer.groups;
  const int in_group = layer.out.channels / layer.groups;
  const int taps = layer.window * layer.window;
  Planes out(values_of(layer.out));
  std::vector<int> weights(at(taps));
  for (int to = 0; to < layer.out.channels; ++to) {
    int* plane = &out[at(to * layer.out.side * layer.out.side)];
    for (int channel = 0; channel < channels; ++channel) {
      for (int tap = 0; tap < taps; ++tap)
        weights[at(tap)] = signed_of(packed[at((to * taps + tap) * channels + channel)]);
      const int from = to / in_group * channels + channel;
      add_plane(layer, &in[at(from * layer.in.side * layer.in.side)], weights.data(), plane);
    }
    for (int i = 0; i < layer.out.side * layer.out.side; ++i)
      plane[i] = std::min(std::max(plane[i], 0) >> layer.shift, kMost);
  }
  return out;
}

Planes pool(const Layer& layer, const Planes& in) {
  Planes out(values_of(layer.out));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto side = at(layer.out.side);
    const std::size_t first = (i / side / side) * at(layer.in.side) * at(layer.in.side) +
                              (i / side % side) * at(layer.stride) * at(layer.in.side) + i % side * at(layer.stride);
    for (int y = 0; y < layer.window; ++y)
      for (int x = 0; x < layer.window; ++x) out[i] = std::max(out[i], in[first + at(y * layer.in.side + x)]);
  }
  return out;
}

}  // namespace

std::uint64_t Layer::weights() const {
  return pools ? 0
               : static_cast<std::uint64_t>(out.channels) * static_cast<std::uint64_t>(window * window) *
                     static_cast<std::uint64_t>(in.channels / groups);
}

std::uint64_t Layer::operations() const {
  const auto side = static_cast<std::uint64_t>(window);
  return values_of(out) * side * side * static_cast<std::uint64_t>(pools ? 1 : in.channels / groups);
}

int Layer::rows_for(std::uint64_t values) const {
  const int last = window_of(*this, values - 1).row;
  return std::min(in.side, last * stride + window - padding);
}

std::vector<Layer> layers(int count) {
  const auto convolution = [](const char* name, Shape in, Shape out, int window, int stride, int padding, int groups,
                              int shift) {
    return Layer{name, false, in, out, window, stride, padding, groups, shift};
  };
  const auto pooling = [](const char* name, Shape in, int side) {
    return Layer{.name = name, .pools = true, .in = in, .out = {side, in.channels}, .window = 3, .stride = 2};
  };
  std::vector<Layer> all{convolution("conv1", kImage, {55, 96}, 11, 4, 0, 1, 8),
                         pooling("pool1", {55, 96}, 27),
                         convolution("conv2", {27, 96}, {27, 256}, 5, 1, 2, 2, 8),
                         pooling("pool2", {27, 256}, 13),
                         convolution("conv3", {13, 256}, {13, 384}, 3, 1, 1, 1, 8),
                         convolution("conv4", {13, 384}, {13, 384}, 3, 1, 1, 2, 8),
                         convolution("conv5", {13, 384}, {13, 256}, 3, 1, 1, 2, 8),
                         pooling("pool5", {13, 256}, 6)};
  all.erase(all.begin() + count, all.end());
  return all;
}

std::vector<std::byte> weights_of(const Layer& layer) {
  constexpr std::uint64_t kRange = 32;
  std::vector<std::byte> weights(layer.weights());
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = static_cast<std::byte>(static_cast<int>(random_word(weights.size(), i, 0) % (2 * kRange)) -
                                        static_cast<int>(kRange));
  return weights;
}

std::byte quantised(float value) {
  return static_cast<std::byte>(static_cast<int>(std::lround(std::clamp(value, -1.0F, 1.0F) * kScale)));
}

float dequantised(std::byte value) {
  return static_cast<float>(signed_of(value)) / kScale;
}

void compute(const Layer& layer, std::span<const std::byte> weights, std::span<const std::byte> in, std::uint64_t first,
             std::span<std::byte> out) {
  const auto* values = reinterpret_cast<const std::int8_t*>(in.data());
  const auto* of_layer = reinterpret_cast<const std::int8_t*>(weights.data());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (first + i >= values_of(layer.out)) {
      out[i] = std::byte{0};
      continue;
    }
    const WindowResult to = window_of(layer, first + i);
    out[i] = layer.pools ? pooled(layer, values, to) : convolved(layer, of_layer, values, to);
  }
}

void network_reference(const std::vector<Layer>& network, std::span<const float> image, std::span<float> out) {
  Planes planes(image.size());
  std::ranges::transform(image, planes.begin(), [](float value) { return signed_of(quantised(value)); });
  for (const Layer& layer : network) planes = layer.pools ? pool(layer, planes) : convolve(layer, planes);
  std::ranges::transform(planes, out.begin(), [](int value) { return static_cast<float>(value) / kScale; });
}

}  // namespace isthmus::apps
