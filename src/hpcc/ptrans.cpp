#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "hpcc/block_cyclic.hpp"
#include "hpcc/checks.hpp"
#include "hpcc/exchange_probe.hpp"
#include "hpcc/memory_probe.hpp"
#include "hpcc/run_conditions.hpp"
#include "hpcc/transpose_layout.hpp"
#include "hpcc/values.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/cluster/scheme.hpp"
#include "isthmus/hpcc/benchmark.hpp"

namespace isthmus::hpcc {
namespace {

enum class Matrix : std::uint8_t { a, b };

/// A matrix element from -1 to 1, so that each rank knows every value that it is to find.
double element(Matrix matrix, std::int64_t row, std::int64_t column, const std::string& type) {
  std::uint64_t mixed = static_cast<std::uint64_t>(row) * 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(column);
  mixed = (mixed ^ (mixed >> 31U)) * (matrix == Matrix::a ? 0xbf58476d1ce4e5b9U : 0x94d049bb133111ebU);
  mixed ^= mixed >> 29U;
  return rounded(type, static_cast<double>(mixed >> 11U) * 0x1p-52 - 1);
}

/// In the device's memory, matrices row by row.
struct Arrays {
  offload::Buffer a;
  offload::Buffer out;  ///< what of A goes to others, where that is not all of it
  offload::Buffer in;   ///< what of A comes from others
  offload::Buffer map;  ///< where each block of A lies, a Source for each of C
  offload::Buffer b;
  offload::Buffer c;
  offload::Buffer spare;  ///< the probe's
};

class Transpose final : public Benchmark {
 public:
  explicit Transpose(Job& job);

  std::vector<Metric> metrics() const override;
  void connect() override;
  void reset() override;
  std::vector<double> run() override;
  std::size_t working_set() const override { return arrays_->a.size() + arrays_->b.size() + arrays_->c.size(); }
  std::vector<double> probe() override;
  std::string model() const override {
    return "equation 4.5 with passes over memory timed by themselves" + (probe_ ? ", " + probe_->model() : "");
  }
  Validation validate() override;

 private:
  void fill();
  void fill(Matrix matrix, const offload::Buffer& to);
  void pack();
  void pack(const Parcel& parcel);
  void exchange();
  double expected_of_packing();
  double expected_of_exchange();
  void launch();
  offload::NdRange work_items(std::size_t blocks) const;
  std::size_t local_rows() const { return columns_.my_size() > 0 ? rows_.my_size() : 0; }
  std::int64_t global_row(std::size_t local) const { return static_cast<std::int64_t>(rows_.global(local)); }
  std::int64_t global_column(std::size_t local) const { return static_cast<std::int64_t>(columns_.global(local)); }
  std::size_t value_bytes() const { return size_of_type(type_); }
  std::size_t block_bytes() const { return block_ * block_ * value_bytes(); }
  const offload::Buffer& sent() const { return layout_.packs() ? arrays_->out : arrays_->a; }

  Job& job_;
  std::string type_;
  std::size_t block_;
  std::size_t size_;
  BlockCyclic rows_;
  BlockCyclic columns_;
  TransposeLayout layout_;
  std::unique_ptr<cluster::Scheme> scheme_;
  std::unique_ptr<ExchangeProbe> probe_;  // of one rank there is none
  std::unique_ptr<Arrays> arrays_;
  std::vector<std::unique_ptr<offload::Queue>> queues_;
  std::vector<offload::Kernel> kernels_;
  MemoryProbe memory_;
};

/// Side of the tiles that a GPU's work-group turns, and rows of its work-items, each of which moves 4 values of a row;
/// as in the kernel.
struct GpuTile {
  std::size_t side;
  std::size_t rows;
};

GpuTile gpu_tile(std::size_t block) {
  return block % 64 == 0 ? GpuTile{.side = 64, .rows = 16} : GpuTile{.side = 32, .rows = 8};
}

/// Values of a cache line, where caches put rows that are a power of two apart into the same places.
std::size_t line_of(const Job& job) {
  const bool cpu = !job.conditions().single() && !job.conditions().gpu();
  return cpu ? 64 / size_of_type(job.parameters().text("DATA_TYPE")) : 0;
}

/// Rows of blocks that a CPU goes down before it takes the next column: 2 KiB of A in turn.
std::size_t strip_of(const Job& job) {
  constexpr std::size_t kBytes = 2048;
  const std::size_t row = integer(job, "BLOCK_SIZE") * size_of_type(job.parameters().text("DATA_TYPE"));
  return line_of(job) > 0 ? std::max<std::size_t>(kBytes / row, 1) : 1;
}

Transpose::Transpose(Job& job)
    : job_(job),
      type_(job.parameters().text("DATA_TYPE")),
      block_(integer(job, "BLOCK_SIZE")),
      size_(integer(job, "MATRIX_SIZE")),
      rows_(size_, block_, job.grid().rows, job.grid().row_of(job.ranks().rank())),
      columns_(size_, block_, job.grid().columns, job.grid().column_of(job.ranks().rank())),
      layout_(job.grid(), static_cast<std::int64_t>(size_ / block_), job.ranks().rank(), block_, line_of(job),
              strip_of(job)),
      kernels_(job.replications(*job.program(), "transpose")),
      memory_(job) {
  const auto array = [&](std::size_t bytes, std::uint32_t index, const char* name) {
    return job.buffer(bytes, kernels_.front(), index, name);
  };
  const auto bytes = [&](std::size_t values) { return std::max(values * value_bytes(), block_bytes()); };
  const std::size_t matrix = bytes(layout_.values());
  const std::size_t sources = std::max<std::size_t>(layout_.sources().size(), 1) * sizeof(Source);
  arrays_ = std::make_unique<Arrays>(Arrays{.a = array(matrix, 0, "a"),
                                            .out = job.device().buffer(layout_.packs() ? bytes(layout_.sent()) : 1),
                                            .in = array(bytes(layout_.received()), 1, "received"),
                                            .map = array(sources, 2, "sources"),
                                            .b = array(matrix, 3, "b"),
                                            .c = array(matrix, 4, "c"),
                                            .spare = job.spare(matrix)});
  for (std::size_t each = 0; each < integer(job, "NUM_REPLICATIONS"); ++each) queues_.push_back(job.device().queue());
  fill();
}

void Transpose::connect() {
  std::size_t largest = 1;
  for (const Parcel& parcel : layout_.parcels()) largest = std::max({largest, parcel.out_count, parcel.in_count});
  const std::string name = job_.choose_scheme();
  scheme_ = cluster::make_scheme(name, job_.device(), job_.ranks(), largest * value_bytes());
  if (job_.ranks().size() == 1 || !job_.has_probes()) return;
  job_.ranks().agree(
      [&] { probe_ = std::make_unique<ExchangeProbe>(job_, name, sent(), arrays_->in, largest * value_bytes()); });
}

void Transpose::fill() {
  fill(Matrix::a, arrays_->a);
  fill(Matrix::b, arrays_->b);
  job_.queue().write(arrays_->map, 0, offload::bytes_of(layout_.sources()));
}

/// A row of blocks after the other.
void Transpose::fill(Matrix matrix, const offload::Buffer& to) {
  const std::size_t pitch = layout_.pitch();
  Values values(type_, block_ * pitch, 0);
  for (std::size_t first = 0; first < local_rows(); first += block_) {
    for (std::size_t row = 0; row < block_; ++row)
      for (std::size_t column = 0; column < columns_.my_size(); ++column)
        values.set(row * pitch + column, element(matrix, global_row(first + row), global_column(column), type_));
    job_.queue().write(to, first * pitch * value_bytes(), values.bytes());
  }
}

/// PTRANS and its traffic are totals; FLOP/s n^2 / t, GB/s n^2 w / t, traffic 3 n^2 w / t.
std::vector<Metric> Transpose::metrics() const {
  const double values = static_cast<double>(size_) * static_cast<double>(size_);
  const double bytes = values * static_cast<double>(value_bytes());
  return {{.name = "ptrans", .quantity = "bandwidth", .unit = "GB/s", .work = bytes * 1e-9, .total = true},
          {.name = "ptrans.flops", .quantity = "rate", .unit = "GFLOP/s", .work = values * 1e-9, .total = true},
          {.name = "ptrans.traffic", .quantity = "bandwidth", .unit = "GB/s", .work = 3 * bytes * 1e-9, .total = true}};
}

void Transpose::pack() {
  if (!layout_.packs()) return;
  for (const Parcel& parcel : layout_.parcels())
    if (parcel.out_count > 0) pack(parcel);
  job_.queue().finish();
}

/// Makes the rows and columns of blocks of a parcel contiguous: columns that are neighbours at once.
void Transpose::pack(const Parcel& parcel) {
  const bool neighbours = parcel.columns.step == 1;
  const std::size_t together = neighbours ? parcel.columns.count : 1;
  const std::size_t from_pitch = layout_.pitch() * value_bytes();
  const std::size_t to_pitch = layout_.pitch(parcel.columns.count) * value_bytes();
  const std::size_t of_block = block_ * value_bytes();
  for (std::size_t each = 0; each < parcel.columns.count; each += together) {
    const std::size_t column = parcel.columns.first + each * parcel.columns.step;
    job_.queue().copy_box(arrays_->a,
                          {.offset = parcel.rows.first * block_ * from_pitch + column * of_block,
                           .row_pitch = from_pitch,
                           .slice_pitch = parcel.rows.step * block_ * from_pitch},
                          arrays_->out,
                          {.offset = parcel.out_first * value_bytes() + each * of_block,
                           .row_pitch = to_pitch,
                           .slice_pitch = block_ * to_pitch},
                          {together * of_block, block_, parcel.rows.count});
  }
}

void Transpose::exchange() {
  if (job_.ranks().size() == 1) return;
  pack();
  scheme_->begin(sent(), arrays_->in);
  for (const Parcel& parcel : layout_.parcels()) {
    const std::size_t first = layout_.packs() ? parcel.out_first : 0;
    scheme_->exchange({sent(), first * value_bytes(), parcel.out_count * value_bytes()}, parcel.to,
                      {arrays_->in, parcel.in_first * value_bytes(), parcel.in_count * value_bytes()}, parcel.from);
  }
  scheme_->end();
  scheme_->finish();
}

offload::NdRange Transpose::work_items(std::size_t blocks) const {
  if (job_.conditions().single()) return offload::NdRange::single();
  if (!job_.conditions().gpu()) return {.global = {blocks, 1, 1}, .local = {1, 1, 1}};
  const GpuTile tile = gpu_tile(block_);
  const std::size_t tiles = block_ / tile.side;
  return {.global = {tiles * tile.side / 4, blocks * tiles * tile.rows, 1}, .local = {tile.side / 4, tile.rows, 1}};
}

void Transpose::launch() {
  const std::size_t copies = queues_.size();
  for (std::size_t each = 0; each < copies; ++each) {
    const std::size_t first = layout_.places().size() * each / copies;
    const std::size_t count = layout_.places().size() * (each + 1) / copies - first;
    if (count == 0) continue;
    const auto event = queues_[each]->launch(
        kernels_[each], work_items(count),
        {&arrays_->a, &arrays_->in, &arrays_->map, &arrays_->b, &arrays_->c, static_cast<std::int32_t>(layout_.pitch()),
         static_cast<std::int32_t>(first), static_cast<std::int32_t>(count)});
    job_.launched("ptrans", each, event);
    queues_[each]->flush();
  }
  for (const auto& queue : queues_) queue->finish();
}

void Transpose::reset() {
  job_.spoil(arrays_->in);
  job_.spoil(arrays_->c);
}

std::vector<double> Transpose::run() {
  const double seconds = job_.timed([&] {
    exchange();
    launch();
  });
  return {seconds, seconds, seconds};
}

/// Seconds.
double Transpose::expected_of_exchange() {
  if (!probe_) return 0;
  double seconds = probe_->preparation(std::array{sent(), arrays_->in});
  for (const Parcel& parcel : layout_.parcels())
    seconds += probe_->seconds({.out_bytes = parcel.out_count * value_bytes(),
                                .to = parcel.to,
                                .in_bytes = parcel.in_count * value_bytes(),
                                .from = parcel.from},
                               1);
  return seconds;
}

/// Seconds.
double Transpose::expected_of_packing() {
  if (!layout_.packs()) return 0;
  const std::size_t bytes = layout_.sent() * value_bytes();
  const double rate = memory_.rate(arrays_->a, arrays_->b, arrays_->spare, 1, std::max(bytes, block_bytes()));
  return 2 * static_cast<double>(bytes) / rate;
}

std::vector<double> Transpose::probe() {
  const double exchanged = expected_of_packing() + expected_of_exchange();
  const std::size_t bytes = layout_.places().size() * block_bytes();
  const double rate = memory_.rate(arrays_->a, arrays_->b, arrays_->spare, 2, std::max(bytes, block_bytes()));
  std::vector<double> rates;
  for (const Metric& metric : metrics())
    rates.push_back(metric.work / (exchanged + 3 * static_cast<double>(bytes) / rate));
  return rates;
}

Validation Transpose::validate() {
  const std::size_t pitch = layout_.pitch();
  Values values(type_, block_ * pitch, 0);
  double largest = 0;
  double error = 0;
  for (std::size_t at = 0; at < local_rows() * columns_.my_size(); ++at) {
    const std::size_t local = at / columns_.my_size();
    if (at % (block_ * columns_.my_size()) == 0)
      job_.queue().read(arrays_->c, local * pitch * value_bytes(), values.bytes());
    const std::int64_t row = global_row(local);
    const std::int64_t column = global_column(at % columns_.my_size());
    const double expected =
        rounded(type_, element(Matrix::b, row, column, type_) + element(Matrix::a, column, row, type_));
    const double difference = std::abs(values.at(local % block_ * pitch + at % columns_.my_size()) - expected);
    largest = std::max(largest, std::abs(expected));
    if (!(difference <= error)) error = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
  }
  const double limit = 2 * epsilon_of_type(type_);
  return {.what = "largest error / largest value", .error = error / largest, .limit = std::nextafter(limit, 1.0)};
}

std::vector<ParameterSpec> ptrans_parameters(const RunConditions& conditions) {
  const bool small = conditions.size == Size::small;
  const std::int64_t side = conditions.gpu() ? 16384 : 8192;
  const double bytes = 3.0 * sizeof(float) * static_cast<double>(side * side) / conditions.ranks;
  const std::int64_t standard = side << growth_of(conditions, bytes, 4);
  return {
      {.name = "MATRIX_SIZE",
       .meaning = "n of the n x n matrices",
       .value = small ? "1536" : std::to_string(standard),
       .at_run = true,
       .multiple_of = {"BLOCK_SIZE"}},
      {.name = "BLOCK_SIZE",
       .meaning = "n of the blocks that are distributed and buffered",
       .value = "128",
       .most = 1 << 14,
       .multiple_of = conditions.single() ? std::vector<std::string>{"CHANNEL_WIDTH"} : std::vector<std::string>{}},
      {.name = "DATA_TYPE", .meaning = "float, double or half", .kind = ParameterKind::data_type, .value = "float"},
      {.name = "CHANNEL_WIDTH", .meaning = "values that a pipeline moves a step", .value = "16", .most = 1024},
      {.name = "NUM_REPLICATIONS",
       .meaning = "copies of the kernel, each with its part of the blocks",
       .value = "1",
       .most = 1024},
  };
}

Needs ptrans_needs(const Job& job) {
  const std::string& type = job.parameters().text("DATA_TYPE");
  const std::size_t block = integer(job, "BLOCK_SIZE");
  require_type(type, job.conditions().device);
  job.parameters().require_multiples_at_run();
  if (job.conditions().single()) {
    require_local_memory(job, "BLOCK_SIZE", 2 * block * block * size_of_type(type));
  } else if (const std::size_t tile = job.conditions().gpu() ? 32 : (type == "double" ? 8 : 16); block % tile != 0) {
    throw Error(fmt::format("{}: expected a multiple of {}", with_value(job, "BLOCK_SIZE"), tile));
  }
  const std::size_t size = integer(job, "MATRIX_SIZE");
  const auto blocks = (size / block) * (size / block);
  if (blocks < static_cast<std::size_t>(job.ranks().size()))
    throw Error(fmt::format("{}: {} blocks, expected at least one for each of {} ranks", with_value(job, "MATRIX_SIZE"),
                            blocks, job.ranks().size()));
  // A, what of it comes from others, B, C and the probe's; where it is packed what of it goes to others.
  const std::size_t arrays = job.grid().rows == job.grid().columns ? 5 : 6;
  const std::size_t matrix = size * size * size_of_type(type) / static_cast<std::size_t>(job.ranks().size());
  return {.memory = require_memory(job, "MATRIX_SIZE", arrays * matrix), .traffic = 3 * static_cast<double>(matrix)};
}

}  // namespace

Entry ptrans_benchmark() {
  return {.name = "ptrans",
          .meaning = "matrix transposition over a grid of devices: C = B + A^T",
          .parameters = ptrans_parameters,
          .needs = ptrans_needs,
          .make = make<Transpose>,
          .exchanges = true};
}

}  // namespace isthmus::hpcc
