// The product of two square matrices on a systolic array, the first case study of choi2019 (5.1).
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "apps/matrix/floats.hpp"
#include "apps/matrix/this_cpu.hpp"
#include "apps/matrix_multiply/product_path.hpp"
#include "isthmus/application/application.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::apps {
namespace {

/// Rows of the product that one work item of kernels/matrix_multiply.cl computes, and columns.
constexpr std::size_t kRowsOfItem = 4;
constexpr std::size_t kColumnsOfItem = 16;

/// Rows of a tile that the reference works on at a time.
constexpr std::size_t kBlock = 8;

void fill(int message, std::span<float> matrices) {
  for (std::size_t i = 0; i < matrices.size(); ++i) matrices[i] = drawn(message, i);
}

/// Some rows of a tile in doubles, from the panels that hold its rows and columns.
ISTHMUS_WITH_PRODUCTS void reference_rows(const TiledLayout& layout, const float* left, const float* right,
                                          float* product) {
  std::array<double, kBlock * kTile> sums{};
  const std::size_t side = layout.side();
  for (std::size_t pair = 0; pair < layout.size; ++pair)
    for (std::size_t row = 0; row < kBlock; ++row) {
      const double factor = left[pair * side + row];
      double* sum = &sums[row * kTile];
      const float* column = right + pair * side;
      for (std::size_t i = 0; i < side; ++i) sum[i] += factor * column[i];
    }
  for (std::size_t row = 0; row < kBlock; ++row)
    for (std::size_t i = 0; i < side; ++i) product[row * side + i] = static_cast<float>(sums[row * kTile + i]);
}

void reference(const TiledLayout& layout, std::span<const float> matrices, std::span<float> product) {
  const std::size_t panel = layout.size * layout.side();
  const std::size_t tile = layout.side() * layout.side();
  for (std::size_t down = 0; down < layout.panels(); ++down)
    for (std::size_t across = 0; across < layout.panels(); ++across)
      for (std::size_t row = 0; row < layout.side(); row += kBlock)
        reference_rows(layout, &matrices[down * panel + row], &matrices[layout.values() + across * panel],
                       &product[(down * layout.panels() + across) * tile + row * layout.side()]);
}

/// The place of a value of the product.
std::vector<program::Fact> place(std::size_t value, const TiledLayout& layout) {
  const std::size_t side = layout.side();
  const std::size_t tile = value / (side * side);
  return {{"row", static_cast<std::int64_t>(tile / layout.panels() * side + value / side % side)},
          {"column", static_cast<std::int64_t>(tile % layout.panels() * side + value % side)}};
}

program::DeviceKernel device_kernel(const TiledLayout& layout, const offload::DatapathMaker& path,
                                    std::size_t iterations) {
  const std::size_t matrix = bytes_of_floats(layout.values());
  program::DeviceKernel kernel{
      .twin = offload::datapath_model("matrix_multiply", path),
      .arguments = {program::InputBuffer{0}, program::InputBuffer{1}, program::OutputBuffer{},
                    static_cast<std::int32_t>(layout.size), static_cast<std::int32_t>(layout.side())},
      .columns = layout.size / kColumnsOfItem,
      .rows = layout.size / kRowsOfItem,
      .inputs = {matrix, matrix}};
  kernel.further.assign(iterations - 1, kernel.arguments);
  return kernel;
}

program::ByteApplication of_values(const program::Values& values) {
  const auto size = static_cast<std::size_t>(values.integer("size"));
  const auto iterations = static_cast<std::size_t>(values.integer("iterations"));
  if (size % (size < kTile ? kSide : kTile) != 0)
    throw Error(
        fmt::format("size: expected a multiple of {}, a tile's side, or below it of {}, got {}", kTile, kSide, size));
  const TiledLayout layout{size};
  const double most = rounding(size, 1);
  const offload::DatapathMaker path = [layout] { return std::make_unique<ProductPath>(layout); };
  return program::Application<float, float>{
      .name = "matrix-multiply",
      .summary = "the product of two matrices of floats on a systolic array (Choi et al., TRETS 2019, 5.1)",
      .input = 2 * layout.values(),
      .output = layout.values(),
      .fill = fill,
      .reference = [layout](std::span<const float> matrices,
                            std::span<float> product) { reference(layout, matrices, product); },
      .extras = {.count = 1,
                 .place = [layout](std::size_t value) { return place(value, layout); },
                 .device = device_kernel(layout, path, iterations),
                 .parts = {"onchip"},
                 .datapath = path,
                 .iterates = true,
                 .agree =
                     [most](std::span<const std::byte> expected, std::span<const std::byte> got) {
                       return std::abs(float_of(expected) - float_of(got)) <= most;
                     }}}
      .bytes();
}

}  // namespace

program::Maker matrix_multiply() {
  return {.parameters = {{.name = "size",
                          .help = "rows and columns of each matrix: a multiple of 16 below 256, of 256 above",
                          .min = 16,
                          .max = 16384,
                          .preset = "4096"},
                         {.name = "iterations",
                          .help = "how many times the product of the same matrices is computed",
                          .min = 1,
                          .max = 10000,
                          .preset = "20"}},
          .make = of_values};
}

}  // namespace isthmus::apps
