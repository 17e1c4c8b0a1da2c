// A matrix times a vector, again and again, the second case study of choi2019 (5.2): the pattern of logistic
// regression.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "apps/matrix/floats.hpp"
#include "apps/matrix_vector/vector_path.hpp"
#include "isthmus/application/application.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::apps {
namespace {

using program::KernelArgument;

/// Each number of the matrix has the same variance, 1 / size, so that a vector stays about as long as it is.
void fill(int message, std::span<float> numbers, std::size_t size) {
  const auto scale = static_cast<float>(std::sqrt(3.0 / static_cast<double>(size)));
  const std::size_t matrix = size * size;
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = drawn(message, i) * (i < matrix ? scale : 1);
}

void reference(std::span<const float> numbers, std::span<float> result, int iterations) {
  const std::size_t size = result.size();
  const auto first = numbers.subspan(size * size);
  std::vector<double> vector(first.begin(), first.end());
  std::vector<double> next(size);
  for (int iteration = 0; iteration < iterations; ++iteration) {
    for (std::size_t row = 0; row < size; ++row) {
      double sum = 0;
      for (std::size_t i = 0; i < size; ++i) sum += static_cast<double>(numbers[row * size + i]) * vector[i];
      next[row] = sum;
    }
    vector.swap(next);
  }
  std::ranges::transform(vector, result.begin(), [](double value) { return static_cast<float>(value); });
}

/// The iterations write to the output and to scratch memory in turn, so that the last one writes to the output; each
/// reads what the one before has written.
std::vector<KernelArgument> arguments(std::size_t size, std::size_t ports, int iteration, int iterations) {
  const auto written_by = [&](int of) -> KernelArgument {
    if ((iterations - 1 - of) % 2 == 0) return program::OutputBuffer{};
    return program::ScratchBuffer{};
  };
  std::vector<KernelArgument> list;
  list.reserve(kMostPorts);
  for (std::size_t part = 0; part < kMostPorts; ++part) list.emplace_back(program::InputBuffer{part % ports});
  list.push_back(iteration == 0 ? KernelArgument{program::InputBuffer{ports}} : written_by(iteration - 1));
  list.push_back(written_by(iteration));
  list.emplace_back(static_cast<std::int32_t>(size));
  list.emplace_back(static_cast<std::int32_t>(size / ports));
  return list;
}

program::DeviceKernel device_kernel(std::size_t size, std::size_t ports, int iterations,
                                    const offload::DatapathMaker& path) {
  program::DeviceKernel kernel{.twin = offload::datapath_model("matrix_vector", path),
                               .arguments = arguments(size, ports, 0, iterations),
                               .columns = size,
                               .inputs = std::vector(ports, bytes_of_floats(size * size / ports)),
                               .scratch = {bytes_of_floats(size)}};
  kernel.inputs.push_back(bytes_of_floats(size));
  for (int iteration = 1; iteration < iterations; ++iteration)
    kernel.further.push_back(arguments(size, ports, iteration, iterations));
  return kernel;
}

std::size_t size_of(const program::Values& values, std::size_t ports) {
  const std::int64_t size = values.integer("size");
  const auto step = static_cast<std::int64_t>(kFloatsAWord * ports);
  if (size % step != 0)
    throw Error(fmt::format("size: expected a multiple of {}, 16 rows for each port, got {}", step, size));
  return static_cast<std::size_t>(size);
}

program::ByteApplication of_values(const program::Values& values) {
  const auto ports = static_cast<std::size_t>(std::stoi(values.text("ports")));
  const auto iterations = static_cast<int>(values.integer("iterations"));
  const std::size_t size = size_of(values, ports);
  // Numbers of the matrix are of the size of 1 / sqrt(size); what iterations are off by adds up like what sums are.
  const double most = rounding(size, 1 / std::sqrt(static_cast<double>(size))) * std::sqrt(iterations);
  const offload::DatapathMaker path = [size, ports] { return std::make_unique<VectorPath>(size, ports); };
  return program::Application<float, float>{
      .name = "matrix-vector",
      .summary = "a matrix of floats times a vector, again and again (Choi et al., TRETS 2019, 5.2)",
      .input = size * size + size,
      .output = size,
      .fill = [size](int message, std::span<float> numbers) { fill(message, numbers, size); },
      .reference = [iterations](std::span<const float> numbers,
                                std::span<float> result) { reference(numbers, result, iterations); },
      .extras = {.count = 1,
                 .place = [](std::size_t value) -> std::vector<program::Fact> {
                   return {{"row", static_cast<std::int64_t>(value)}};
                 },
                 .device = device_kernel(size, ports, iterations, path),
                 .parts = {"onchip"},
                 .datapath = path,
                 .iterates = true,
                 .agree =
                     [most](std::span<const std::byte> expected, std::span<const std::byte> got) {
                       const double right = float_of(expected);
                       return std::abs(right - float_of(got)) <= most * std::max(1.0, std::abs(right));
                     }}}
      .bytes();
}

}  // namespace

program::Maker matrix_vector() {
  return {.parameters = {{.name = "size",
                          .help = "rows and columns of the matrix, a multiple of 16 for each port",
                          .min = 16,
                          .max = 16384,
                          .preset = "4096"},
                         {.name = "iterations",
                          .help = "products with the same matrix; each takes the vector that the one before gave",
                          .min = 1,
                          .max = 10000,
                          .preset = "20"},
                         {.name = "ports",
                          .kind = program::ParameterKind::choice,
                          .help = "memory ports of the kernel that share the rows; each has its own bank if "
                                  "device.dram.kernel_channels is as large",
                          .choices = {"1", "2", "4"},
                          .preset = "1"}},
          .make = of_values};
}

}  // namespace isthmus::apps
