// Convolutions and poolings of AlexNet over numbers that a core turns to 8 bits and back (min2019 V.C).
#include <array>
#include <cstring>

#include "apps/alexnet/network.hpp"
#include "apps/chip_run.hpp"
#include "isthmus/application/application.hpp"
#include "isthmus/base/random.hpp"

namespace isthmus::apps {
namespace {

using soc::Cpu;

enum SharedBuffer : std::uint8_t { kImages, kWeights, kMaps, kFeatures };
enum Own : std::uint8_t { kPictures, kResults };

constexpr std::uint64_t kNumber = sizeof(float);
constexpr std::uint64_t kPlane = values_of({.side = kImage.side, .channels = 1});

std::uint64_t weights_before(const std::vector<Layer>& network, std::size_t layer) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < layer; ++i) bytes += whole_lines(network[i].weights());
  return bytes;
}

/// The map behind a layer lies in one half of the buffer or the other.
std::uint64_t half_of_maps(const std::vector<Layer>& network) {
  std::uint64_t most = fabric::kMostLine;
  for (std::size_t i = 0; i + 1 < network.size(); ++i) most = std::max(most, whole_lines(values_of(network[i].out)));
  return most;
}

soc::Pass pass_of(const std::vector<Layer>& network, std::size_t number, int multiplies) {
  const Layer& layer = network[number];
  const std::uint64_t half = half_of_maps(network);
  const std::uint64_t weights = whole_lines(layer.weights());
  soc::Pass pass{.stage = layer.name, .cycles = static_cast<double>(layer.operations()) / multiplies};
  if (!layer.pools) pass.reads.push_back({kWeights, weights_before(network, number), weights});
  const std::uint64_t in = whole_lines(values_of(layer.in));
  const std::uint64_t out = whole_lines(values_of(layer.out));
  pass.reads.push_back(number == 0 ? soc::Part{kImages, 0, in} : soc::Part{kMaps, (number + 1) % 2 * half, in});
  pass.writes.push_back(number + 1 == network.size() ? soc::Part{kFeatures, 0, out}
                                                     : soc::Part{kMaps, number % 2 * half, out});
  pass.needs = [layer, weights](std::uint64_t end) {
    const auto row = static_cast<std::uint64_t>(layer.in.side) * static_cast<std::uint64_t>(layer.in.channels);
    return weights + row * static_cast<std::uint64_t>(layer.rows_for(std::min(end, values_of(layer.out))));
  };
  pass.compute = [layer, weights](std::span<const std::byte> from, std::uint64_t at, std::span<std::byte> to) {
    compute(layer, from.first(weights), from.subspan(weights), at, to);
  };
  return pass;
}

/// A run of images.
class Images {
 public:
  Images(const platform::Description& board, std::vector<Layer> network, const program::TogetherJob& job)
      : board_(board), network_(std::move(network)), job_(job) {}

  program::Together run(std::vector<soc::Buffer> buffers) {
    const auto count = static_cast<std::uint64_t>(job_.count);
    buffers[kMaps].bytes = 2 * half_of_maps(network_);
    soc::Layout layout{
        .buffers = std::move(buffers),
        .areas = {count * whole_pages(values_of(kImage) * kNumber), values_of(network_.back().out) * kNumber},
        .stages = {"quantise"}};
    for (const Layer& layer : network_) layout.stages.push_back(layer.name);
    layout.stages.insert(layout.stages.end(), {"de-quantise", soc::kMaintenance});
    return run_on_chip(board_, layout, job_, [this](Cpu& cpu, MessageTimes& times) { program(cpu, times); });
  }

 private:
  void program(Cpu& cpu, MessageTimes& times) {
    std::vector<soc::Pass> passes;
    for (std::size_t layer = 0; layer < network_.size(); ++layer) {
      passes.push_back(pass_of(network_, layer, soc::engines_of(board_).dnn_multiplies));
      if (!network_[layer].pools) cpu.provide(kWeights, weights_before(network_, layer), weights_of(network_[layer]));
    }
    for (int image = 0; image < job_.count; ++image) {
      times.begin(cpu);
      cpu.stage("quantise");
      first_ = static_cast<std::uint64_t>(image) * whole_pages(values_of(kImage) * kNumber);
      cpu.provide_area(kPictures, first_, job_.messages.input(image));
      job_.choice.sequential ? quantise_by_row(cpu) : quantise_by_plane(cpu);
      for (const soc::Pass& pass : passes) cpu.run(pass);
      dequantise(cpu, job_.messages.output(image));
      times.end(cpu);
      job_.messages.finished(image);
    }
  }

  std::byte quantise(Cpu& cpu, std::uint64_t channel, std::uint64_t place) {
    std::array<std::byte, kNumber> number{};
    cpu.load_area(kPictures, first_ + (channel * kPlane + place) * kNumber, number);
    cpu.work(1);
    float value = 0;
    std::memcpy(&value, number.data(), kNumber);
    return quantised(value);
  }

  /// In the order of the numbers, plane by plane: what is written lies apart.
  void quantise_by_plane(Cpu& cpu) {
    for (std::uint64_t channel = 0; channel < kImage.channels; ++channel)
      for (std::uint64_t place = 0; place < kPlane; ++place) {
        const std::byte to = quantise(cpu, channel, place);
        cpu.store(kImages, place * kImage.channels + channel, std::span(&to, 1));
      }
  }

  /// Row by row, each of which is put together in the first cache: what is written lies in sequence.
  void quantise_by_row(Cpu& cpu) {
    constexpr std::uint64_t kRow = kImage.side;
    std::array<std::byte, kRow * kImage.channels> row{};
    for (std::uint64_t first = 0; first < kPlane; first += kRow) {
      for (std::uint64_t channel = 0; channel < kImage.channels; ++channel)
        for (std::uint64_t place = 0; place < kRow; ++place)
          row[place * kImage.channels + channel] = quantise(cpu, channel, first + place);
      cpu.copy_work(row.size());
      cpu.store(kImages, first * kImage.channels, row);
    }
  }

  /// Also back to planes.
  void dequantise(Cpu& cpu, std::span<std::byte> output) {
    cpu.stage("de-quantise");
    constexpr std::uint64_t kAtOnce = 16;
    const Shape shape = network_.back().out;
    const auto channels = static_cast<std::uint64_t>(shape.channels);
    const std::uint64_t places = values_of(shape) / channels;
    std::array<std::byte, kAtOnce> from{};
    std::array<std::byte, kNumber> number{};
    for (std::uint64_t at = 0; at < values_of(shape); at += kAtOnce) {
      cpu.load(kFeatures, at, from);
      for (std::uint64_t i = 0; i < kAtOnce; ++i) {
        const float value = dequantised(from[i]);
        std::memcpy(number.data(), &value, kNumber);
        const std::uint64_t to = ((at + i) % channels * places + (at + i) / channels) * kNumber;
        cpu.work(1);
        cpu.store_area(kResults, to, number);
        std::memcpy(&output[to], number.data(), kNumber);
      }
    }
  }

  const platform::Description& board_;
  std::vector<Layer> network_;
  const program::TogetherJob& job_;
  std::uint64_t first_ = 0;  ///< address of the image's numbers
};

std::vector<soc::Buffer> buffers_of(const std::vector<Layer>& network) {
  const auto within = [](const char* name, std::uint64_t bytes) {
    return soc::Buffer{.name = name, .bytes = bytes, .direction = soc::Direction::within, .mostly_written = false};
  };
  return {{.name = "images",
           .bytes = whole_lines(values_of(kImage)),
           .direction = soc::Direction::to_fpga,
           .sequential = false},
          within("weights", std::max<std::uint64_t>(fabric::kMostLine, weights_before(network, network.size()))),
          within("maps", half_of_maps(network)),
          {.name = "features",
           .bytes = whole_lines(values_of(network.back().out)),
           .direction = soc::Direction::to_cpu,
           .mostly_written = false}};
}

program::ByteApplication of_values(const program::Values& values) {
  const std::vector<Layer> network = layers(static_cast<int>(values.integer("layers")));
  program::Extras extras{.counted = "images", .count = 1};
  extras.place = [shape = network.back().out](std::size_t value) -> std::vector<program::Fact> {
    const auto at = static_cast<std::int64_t>(value);
    return {
        {"column", at % shape.side}, {"row", at / shape.side % shape.side}, {"channel", at / shape.side / shape.side}};
  };
  extras.buffers = buffers_of(network);
  extras.together = [network](const platform::Description& board, const program::TogetherJob& job) {
    return Images(board, network, job).run(buffers_of(network));
  };
  return program::Application<float, float>{
      .name = "alexnet",
      .summary = "convolutions and poolings of AlexNet in 8 bits, with seeded weights (Min et al., FPL 2019, V.C)",
      .input = values_of(kImage),
      .output = values_of(network.back().out),
      .fill =
          [](int image, std::span<float> numbers) {
            for (std::size_t i = 0; i < numbers.size(); ++i)
              numbers[i] =
                  static_cast<float>(random_word(1, static_cast<std::uint64_t>(image), i) >> 40U) * 0x1p-23F - 1;
          },
      .reference = [network](std::span<const float> in, std::span<float> out) { network_reference(network, in, out); },
      .extras = std::move(extras)}
      .bytes();
}

}  // namespace

program::Maker alexnet() {
  return {.parameters = {{.name = "layers",
                          .help = "how many of conv1, pool1, conv2, pool2, conv3, conv4, conv5, pool5 run",
                          .min = 1,
                          .max = kLayers,
                          .preset = "8"}},
          .make = of_values};
}

}  // namespace isthmus::apps
