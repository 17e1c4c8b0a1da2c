// Products of matrices in blocks that the core cuts and sums up (min2019 V.C).
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "apps/chip_run.hpp"
#include "isthmus/application/application.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/base/random.hpp"

namespace isthmus::apps {
namespace {

using soc::Cpu;

enum SharedBuffer : std::uint8_t { kLeft, kRight, kProduct };
enum Own : std::uint8_t { kFactors, kSum };

constexpr std::uint64_t kBlock = 128;  // rows and columns (min2019 V.C)
constexpr std::uint64_t kValue = sizeof(float);
constexpr std::uint64_t kBlockBytes = kBlock * kBlock * kValue;
constexpr std::uint64_t kAtOnce = 16;  // values that the core takes in a turn of its loop
constexpr double kAgree = 1e-5;        // of a value

std::vector<float> values_of(std::span<const std::byte> bytes) {
  std::vector<float> values(bytes.size() / kValue);
  std::memcpy(values.data(), bytes.data(), values.size() * kValue);
  return values;
}

/// Some values of the product of two blocks, from number `first` on.
void multiply(std::span<const std::byte> factors, std::uint64_t first, std::span<std::byte> out) {
  const auto* left = reinterpret_cast<const float*>(factors.data());
  const float* right = left + kBlock * kBlock;
  std::array<float, kBlock> row{};
  std::uint64_t row_of = ~std::uint64_t{0};
  for (std::uint64_t i = 0; i < out.size() / kValue; ++i) {
    if (const std::uint64_t at = (first + i) / kBlock; at != row_of) {
      row_of = at;
      row.fill(0);
      for (std::uint64_t k = 0; k < kBlock; ++k)
        for (std::uint64_t column = 0; column < kBlock; ++column)
          row[column] += left[at * kBlock + k] * right[k * kBlock + column];
    }
    std::memcpy(&out[i * kValue], &row[(first + i) % kBlock], kValue);
  }
}

/// A run of products.
class Products {
 public:
  Products(const platform::Description& board, std::uint64_t rows, const program::TogetherJob& job)
      : rows_(rows),
        job_(job),
        board_(board),
        pass_{.stage = "multiply",
              .reads = {{.buffer = kLeft, .offset = 0, .bytes = kBlockBytes},
                        {.buffer = kRight, .offset = 0, .bytes = kBlockBytes}},
              .writes = {{.buffer = kProduct, .offset = 0, .bytes = kBlockBytes}},
              .cycles = static_cast<double>(kBlock * kBlock * kBlock) / soc::engines_of(board).gemm_multiplies,
              .compute = [](std::span<const std::byte> in, std::uint64_t at, std::span<std::byte> out) {
                multiply(in, at / kValue, out);
              }} {}

  program::Together run(const std::vector<soc::Buffer>& buffers) {
    const std::uint64_t matrix = rows_ * rows_ * kValue;
    const auto count = static_cast<std::uint64_t>(job_.count);
    const soc::Layout layout{.buffers = buffers,
                             .areas = {count * 2 * matrix, count * matrix},
                             .stages = {"cut", "multiply", "accumulate", soc::kMaintenance}};
    return run_on_chip(board_, layout, job_, [this](Cpu& cpu, MessageTimes& times) { program(cpu, times); });
  }

 private:
  void program(Cpu& cpu, MessageTimes& times) {
    for (int message = 0; message < job_.count; ++message) {
      times.begin(cpu);
      first_ = static_cast<std::uint64_t>(message) * rows_ * rows_ * kValue;
      cpu.provide_area(kFactors, 2 * first_, job_.messages.input(message));
      product_ = job_.messages.output(message);
      for (std::uint64_t row = 0; row < rows_; row += kBlock)
        for (std::uint64_t column = 0; column < rows_; column += kBlock)
          for (std::uint64_t k = 0; k < rows_; k += kBlock) {
            cut(cpu, kLeft, 2 * first_ + (row * rows_ + k) * kValue);
            cut(cpu, kRight, 2 * first_ + (rows_ * rows_ + k * rows_ + column) * kValue);
            cpu.run(pass_);
            accumulate(cpu, (row * rows_ + column) * kValue, k == 0);
          }
      times.end(cpu);
      job_.messages.finished(message);
    }
  }

  /// A block of a matrix, row after row.
  void cut(Cpu& cpu, std::size_t buffer, std::uint64_t from) {
    cpu.stage("cut");
    std::array<std::byte, kAtOnce * kValue> values{};
    for (std::uint64_t row = 0; row < kBlock; ++row)
      for (std::uint64_t at = 0; at < kBlock * kValue; at += values.size()) {
        cpu.load_area(kFactors, from + row * rows_ * kValue + at, values);
        cpu.copy_work(values.size());
        cpu.store(buffer, row * kBlock * kValue + at, values);
      }
  }

  void accumulate(Cpu& cpu, std::uint64_t to, bool first) {
    cpu.stage("accumulate");
    std::array<std::byte, kAtOnce * kValue> block{};
    std::array<std::byte, kAtOnce * kValue> sum{};
    for (std::uint64_t row = 0; row < kBlock; ++row)
      for (std::uint64_t at = 0; at < kBlock * kValue; at += block.size()) {
        const std::uint64_t place = to + row * rows_ * kValue + at;
        cpu.load(kProduct, row * kBlock * kValue + at, block);
        sum.fill(std::byte{0});
        if (!first) cpu.load_area(kSum, first_ + place, sum);
        cpu.work(kAtOnce);
        add(block, sum);
        cpu.store_area(kSum, first_ + place, sum);
        std::memcpy(&product_[place], sum.data(), sum.size());
      }
  }

  static void add(std::span<const std::byte> more, std::span<std::byte> sum) {
    for (std::size_t at = 0; at < sum.size(); at += kValue) {
      float one = 0;
      float other = 0;
      std::memcpy(&one, &sum[at], kValue);
      std::memcpy(&other, &more[at], kValue);
      one += other;
      std::memcpy(&sum[at], &one, kValue);
    }
  }

  std::uint64_t rows_;
  const program::TogetherJob& job_;
  const platform::Description& board_;
  soc::Pass pass_;
  std::uint64_t first_ = 0;  ///< address of the message's sums
  std::span<std::byte> product_;
};

/// In double precision, by columns of the first matrix.
void product_reference(std::uint64_t rows, std::span<const float> factors, std::span<float> out) {
  std::vector<double> sum(rows);
  for (std::uint64_t row = 0; row < rows; ++row) {
    sum.assign(rows, 0);
    for (std::uint64_t k = 0; k < rows; ++k)
      for (std::uint64_t column = 0; column < rows; ++column)
        sum[column] += static_cast<double>(factors[row * rows + k]) * factors[rows * rows + k * rows + column];
    for (std::uint64_t column = 0; column < rows; ++column) out[row * rows + column] = static_cast<float>(sum[column]);
  }
}

bool agree(std::span<const std::byte> expected, std::span<const std::byte> got) {
  const float right = values_of(expected).front();
  const float mine = values_of(got).front();
  return std::abs(mine - right) <= kAgree * std::abs(right);
}

std::vector<soc::Buffer> buffers() {
  return {{.name = "left", .bytes = kBlockBytes, .direction = soc::Direction::to_fpga},
          {.name = "right", .bytes = kBlockBytes, .direction = soc::Direction::to_fpga},
          {.name = "product", .bytes = kBlockBytes, .direction = soc::Direction::to_cpu, .mostly_written = false}};
}

program::ByteApplication of_values(const program::Values& values) {
  const auto rows = static_cast<std::uint64_t>(values.integer("size"));
  if (rows % kBlock != 0)
    throw Error(fmt::format("--size: expected a multiple of a block's {} rows, got {}", kBlock, rows));
  program::Extras extras{.counted = "products", .count = 1};
  extras.place = [rows](std::size_t value) -> std::vector<program::Fact> {
    return {{"column", static_cast<std::int64_t>(value % rows)}, {"row", static_cast<std::int64_t>(value / rows)}};
  };
  extras.buffers = buffers();
  extras.agree = agree;
  extras.together = [rows](const platform::Description& board, const program::TogetherJob& job) {
    return Products(board, rows, job).run(buffers());
  };
  return program::Application<float, float>{
      .name = "sgemm",
      .summary = "products of matrices, by blocks of 128 that a core cuts and sums up (Min et al., FPL 2019, V.C)",
      .input = 2 * rows * rows,
      .output = rows * rows,
      .fill =
          [](int message, std::span<float> factors) {
            // All above zero: no sum cancels, so that each value has the precision of its parts.
            for (std::size_t i = 0; i < factors.size(); ++i)
              factors[i] = static_cast<float>(random_word(0, static_cast<std::uint64_t>(message), i) >> 40U) * 0x1p-24F;
          },
      .reference = [rows](std::span<const float> in, std::span<float> out) { product_reference(rows, in, out); },
      .extras = std::move(extras)}
      .bytes();
}

}  // namespace

program::Maker sgemm() {
  return {.parameters = {{.name = "size",
                          .help = "rows and columns of the matrices, a multiple of 128",
                          .min = kBlock,
                          .max = 4096,
                          .preset = "512"}},
          .make = of_values};
}

}  // namespace isthmus::apps
