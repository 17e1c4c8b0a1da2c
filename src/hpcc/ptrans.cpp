#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "hpcc/block_grid.hpp"
#include "hpcc/checks.hpp"
#include "hpcc/exchange_probe.hpp"
#include "hpcc/memory_probe.hpp"
#include "hpcc/setting.hpp"
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

/// What one rank sends to another, as stretches of blocks.
struct Parcel {
  std::size_t out_first;
  std::size_t out_count;
  std::size_t in_first;
  std::size_t in_count;
};

/// In the device's memory.
struct Arrays {
  offload::ComputeBuffer a;
  offload::ComputeBuffer in;   ///< what of A comes from others
  offload::ComputeBuffer map;  ///< where each block of A lies
  offload::ComputeBuffer b;
  offload::ComputeBuffer c;
  offload::ComputeBuffer spare;  ///< the probe's
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
    return "equation 4.5 with a pass over three arrays timed by itself" + (probe_ ? ", " + probe_->model() : "");
  }
  Validation validate() override;

 private:
  void lay_out();
  void fill();
  void exchange();
  double expected_of_exchange();
  void launch();
  offload::NdRange work_items(std::size_t blocks) const;
  std::size_t value_bytes() const { return size_of_type(type_); }
  std::size_t block_bytes() const { return block_ * block_ * value_bytes(); }

  Job& job_;
  std::string type_;
  std::size_t block_;
  std::size_t size_;
  BlockGrid layout_;
  std::vector<Block> places_;          // blocks of B and C of this rank, in the order of their buffers
  std::vector<Block> stored_;          // blocks of A, those for one rank together
  std::vector<std::int32_t> sources_;  // for each of places_: see the kernels
  std::vector<Parcel> parcels_;        // for each other rank, by distance
  std::size_t received_ = 0;           // blocks
  std::unique_ptr<cluster::Scheme> scheme_;
  std::unique_ptr<ExchangeProbe> probe_;  // of one rank there is none
  std::unique_ptr<Arrays> arrays_;
  std::vector<offload::ComputeQueue> queues_;
  std::vector<offload::ComputeKernel> kernels_;
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

Transpose::Transpose(Job& job)
    : job_(job),
      type_(job.parameters().text("DATA_TYPE")),
      block_(integer(job, "BLOCK_SIZE")),
      size_(integer(job, "MATRIX_SIZE")),
      layout_(job.grid(), static_cast<std::int64_t>(size_ / block_)),
      places_(layout_.blocks_of(job.ranks().rank())),
      kernels_(job.replications(job.program(), "transpose")),
      memory_(job) {
  lay_out();
  const auto blocks = [&](std::size_t count) { return std::max<std::size_t>(count, 1) * block_bytes(); };
  const auto array = [&](std::size_t bytes, std::uint32_t index, const char* name) {
    return job.buffer(bytes, kernels_.front(), index, name);
  };
  arrays_ = std::make_unique<Arrays>(Arrays{.a = array(blocks(stored_.size()), 0, "a"),
                                            .in = array(blocks(received_), 1, "received"),
                                            .map = array(sources_.size() * sizeof(std::int32_t), 2, "sources"),
                                            .b = array(blocks(places_.size()), 3, "b"),
                                            .c = array(blocks(places_.size()), 4, "c"),
                                            .spare = job.spare(blocks(places_.size()))});
  for (std::size_t each = 0; each < integer(job, "NUM_REPLICATIONS"); ++each) queues_.push_back(job.device().queue());
  fill();
}

void Transpose::connect() {
  std::size_t largest = 1;
  for (const Parcel& parcel : parcels_) largest = std::max({largest, parcel.out_count, parcel.in_count});
  const std::string name = job_.choose_scheme();
  scheme_ = cluster::make_scheme(name, job_.device(), job_.ranks(), largest * block_bytes());
  if (job_.ranks().size() == 1 || !job_.has_probes()) return;
  job_.ranks().agree(
      [&] { probe_ = std::make_unique<ExchangeProbe>(job_, name, arrays_->a, arrays_->in, largest * block_bytes()); });
}

/// Blocks of A lie in the order in which they are sent, so that what one rank gets is one stretch.
void Transpose::lay_out() {
  const int ranks = job_.ranks().size();
  const int rank = job_.ranks().rank();
  std::vector<Block> arrived;
  for (int distance = 0; distance < ranks; ++distance) {
    const auto out = layout_.sent(rank, (rank + distance) % ranks);
    const auto in = distance == 0 ? std::vector<Block>() : layout_.sent((rank + ranks - distance) % ranks, rank);
    if (distance > 0) parcels_.push_back({stored_.size(), out.size(), arrived.size(), in.size()});
    stored_.insert(stored_.end(), out.begin(), out.end());
    arrived.insert(arrived.end(), in.begin(), in.end());
  }
  received_ = arrived.size();
  for (const Block& place : places_) {
    const Block wanted{place.column, place.row};
    const auto& where = layout_.owner(wanted) == rank ? stored_ : arrived;
    const auto index = static_cast<std::int32_t>(std::ranges::find(where, wanted) - where.begin());
    sources_.push_back(&where == &stored_ ? -1 - index : index);
  }
}

void Transpose::fill() {
  Values values(type_, block_ * block_, 0);
  const auto write = [&](Matrix matrix, const std::vector<Block>& blocks, const offload::ComputeBuffer& to) {
    const auto side = static_cast<std::int64_t>(block_);
    for (std::size_t each = 0; each < blocks.size(); ++each) {
      for (std::int64_t at = 0; at < side * side; ++at)
        values.set(static_cast<std::size_t>(at),
                   element(matrix, blocks[each].row * side + at / side, blocks[each].column * side + at % side, type_));
      job_.queue().write(to, each * block_bytes(), values.bytes());
    }
  };
  write(Matrix::a, stored_, arrays_->a);
  write(Matrix::b, places_, arrays_->b);
  job_.queue().write(arrays_->map, 0, offload::bytes_of(sources_));
}

/// PTRANS and its traffic are totals; FLOP/s n^2 / t, GB/s n^2 w / t, traffic 3 n^2 w / t.
std::vector<Metric> Transpose::metrics() const {
  const double values = static_cast<double>(size_) * static_cast<double>(size_);
  const double bytes = values * static_cast<double>(value_bytes());
  return {{.name = "ptrans", .quantity = "bandwidth", .unit = "GB/s", .work = bytes * 1e-9, .total = true},
          {.name = "ptrans.flops", .quantity = "rate", .unit = "GFLOP/s", .work = values * 1e-9, .total = true},
          {.name = "ptrans.traffic", .quantity = "bandwidth", .unit = "GB/s", .work = 3 * bytes * 1e-9, .total = true}};
}

void Transpose::exchange() {
  const int ranks = job_.ranks().size();
  const int rank = job_.ranks().rank();
  if (ranks == 1) return;
  scheme_->begin(arrays_->a, arrays_->in);
  for (int distance = 1; distance < ranks; ++distance) {
    const Parcel& parcel = parcels_[static_cast<std::size_t>(distance) - 1];
    scheme_->exchange({arrays_->a, parcel.out_first * block_bytes(), parcel.out_count * block_bytes()},
                      (rank + distance) % ranks,
                      {arrays_->in, parcel.in_first * block_bytes(), parcel.in_count * block_bytes()},
                      (rank + ranks - distance) % ranks);
  }
  scheme_->finish();
  scheme_->end();
}

offload::NdRange Transpose::work_items(std::size_t blocks) const {
  if (job_.setting().single()) return offload::NdRange::single();
  if (!job_.setting().gpu()) return {.global = {blocks, 1, 1}, .local = {1, 1, 1}};
  const GpuTile tile = gpu_tile(block_);
  const std::size_t tiles = block_ / tile.side;
  return {.global = {tiles * tile.side / 4, blocks * tiles * tile.rows, 1}, .local = {tile.side / 4, tile.rows, 1}};
}

void Transpose::launch() {
  const std::size_t copies = queues_.size();
  for (std::size_t each = 0; each < copies; ++each) {
    const std::size_t first = places_.size() * each / copies;
    const std::size_t count = places_.size() * (each + 1) / copies - first;
    if (count == 0) continue;
    const auto event = queues_[each].launch(kernels_[each], work_items(count),
                                            {&arrays_->a, &arrays_->in, &arrays_->map, &arrays_->b, &arrays_->c,
                                             static_cast<std::int32_t>(first), static_cast<std::int32_t>(count)});
    job_.launched("ptrans", each, event);
    queues_[each].flush();
  }
  for (auto& queue : queues_) queue.finish();
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
  const int ranks = job_.ranks().size();
  double seconds = probe_->preparation();
  for (int distance = 1; distance < ranks; ++distance) {
    const Parcel& parcel = parcels_[static_cast<std::size_t>(distance) - 1];
    seconds += probe_->seconds({.out_bytes = parcel.out_count * block_bytes(),
                                .to = (job_.ranks().rank() + distance) % ranks,
                                .in_bytes = parcel.in_count * block_bytes(),
                                .from = (job_.ranks().rank() + ranks - distance) % ranks},
                               1);
  }
  return seconds;
}

std::vector<double> Transpose::probe() {
  const double exchanged = expected_of_exchange();
  // Blocks of A and of B are as many or more than those of C on a grid that is not square; the least are compared.
  const std::size_t bytes = std::min(stored_.size(), places_.size()) * block_bytes();
  const double moved = 3 * static_cast<double>(places_.size() * block_bytes());
  const double passed = moved / memory_.rate(arrays_->a, arrays_->b, arrays_->spare, 2, std::max(bytes, block_bytes()));
  std::vector<double> rates;
  for (const Metric& metric : metrics()) rates.push_back(metric.work / (exchanged + passed));
  return rates;
}

Validation Transpose::validate() {
  const auto side = static_cast<std::int64_t>(block_);
  Values values(type_, block_ * block_, 0);
  double largest = 0;
  double error = 0;
  for (std::size_t each = 0; each < places_.size(); ++each) {
    job_.queue().read(arrays_->c, each * block_bytes(), values.bytes());
    for (std::int64_t at = 0; at < side * side; ++at) {
      const std::int64_t row = places_[each].row * side + at / side;
      const std::int64_t column = places_[each].column * side + at % side;
      const double expected =
          rounded(type_, element(Matrix::b, row, column, type_) + element(Matrix::a, column, row, type_));
      const double difference = std::abs(values.at(static_cast<std::size_t>(at)) - expected);
      largest = std::max(largest, std::abs(expected));
      if (!(difference <= error)) error = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
    }
  }
  const double limit = 2 * epsilon_of_type(type_);
  return {.what = "largest error / largest value", .error = error / largest, .limit = std::nextafter(limit, 1.0)};
}

std::vector<ParameterSpec> ptrans_parameters(const Setting& setting) {
  const bool small = setting.size == Size::small;
  const std::int64_t side = setting.gpu() ? 16384 : 8192;
  const double bytes = 3.0 * sizeof(float) * static_cast<double>(side * side) / setting.ranks;
  const std::int64_t standard = side << growth_of(setting, bytes, 4);
  return {
      {.name = "MATRIX_SIZE",
       .meaning = "n of the n x n matrices",
       .value = small ? "1536" : std::to_string(standard),
       .at_run = true},
      {.name = "BLOCK_SIZE",
       .meaning = "n of the blocks that are distributed and buffered",
       .value = setting.gpu() || setting.single() ? "128" : "64",
       .most = 1 << 14,
       .multiple_of = setting.single() ? std::vector<std::string>{"CHANNEL_WIDTH"} : std::vector<std::string>{}},
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
  require_type(type, job.setting().device);
  require_multiple(job, "MATRIX_SIZE", "BLOCK_SIZE");
  if (job.setting().single()) {
    require_local_memory(job, "BLOCK_SIZE", 2 * block * block * size_of_type(type));
  } else if (const std::size_t tile = job.setting().gpu() ? 32 : (type == "double" ? 8 : 16); block % tile != 0) {
    throw Error(fmt::format("{}: expected a multiple of {}", with_value(job, "BLOCK_SIZE"), tile));
  }
  const std::size_t size = integer(job, "MATRIX_SIZE");
  const auto blocks = (size / block) * (size / block);
  if (blocks < static_cast<std::size_t>(job.ranks().size()))
    throw Error(fmt::format("{}: {} blocks, expected at least one for each of {} ranks", with_value(job, "MATRIX_SIZE"),
                            blocks, job.ranks().size()));
  constexpr std::size_t kArrays = 5;  // A, what of it comes from others, B, C and the probe's
  const std::size_t matrix = size * size * size_of_type(type) / static_cast<std::size_t>(job.ranks().size());
  return {.memory = require_memory(job, "MATRIX_SIZE", kArrays * matrix), .traffic = 3 * static_cast<double>(matrix)};
}

std::unique_ptr<Benchmark> make_ptrans(Job& job) {
  return std::make_unique<Transpose>(job);
}

}  // namespace

Entry ptrans_benchmark() {
  return {"ptrans", "matrix transposition over a grid of devices: C = B + A^T", ptrans_parameters, ptrans_needs,
          make_ptrans};
}

}  // namespace isthmus::hpcc
