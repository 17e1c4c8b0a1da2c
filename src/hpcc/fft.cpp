#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "hpcc/checks.hpp"
#include "hpcc/memory_probe.hpp"
#include "hpcc/random_values.hpp"
#include "hpcc/reference_fft.hpp"
#include "hpcc/run_conditions.hpp"
#include "hpcc/values.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/hpcc/benchmark.hpp"

namespace isthmus::hpcc {
namespace {

using offload::Buffer;
using offload::NdRange;

constexpr std::size_t kComplex = 2 * sizeof(float);
constexpr std::size_t kItemsOfCore = 4;  // work-items, each with scratch of its own, so that cores end together

/// Logarithms of the values that a GPU's work-item has in registers, and its work-group in local memory.
struct GpuTile {
  int log_values;
  int log_tile;
  std::size_t values() const { return std::size_t{1} << log_values; }
  std::size_t tile() const { return std::size_t{1} << log_tile; }
};

/// The same value as in the kernel.
GpuTile gpu_tile(int log_size) {
  if (log_size <= 8) return {.log_values = 3, .log_tile = 10};
  return {.log_values = log_size == 13 ? 5 : 4, .log_tile = log_size <= 11 ? 11 : (log_size == 13 ? 13 : 12)};
}

/// The compiler's options for transforms of 2^13 values on a GPU; see the kernel.
std::string options_of(const Job& job) {
  return job.conditions().device.limits_registers ? "-cl-nv-maxrregcount=128" : "";
}

/// Batched 1D transforms, single precision (meyer2024 3.1.4).
class Fft final : public Benchmark {
 public:
  explicit Fft(Job& job);

  std::vector<Metric> metrics() const override;
  void reset() override;
  std::vector<double> run() override;
  std::size_t working_set() const override { return 2 * batch_ * size_ * kComplex; }
  std::vector<double> probe() override;
  std::string model() const override {
    return "equation 3.1, its values a cycle those of the memory probe, which reads and writes each value once";
  }
  Validation validate() override;

 private:
  struct Buffers {
    Buffer in;
    Buffer out;
    Buffer twiddles;
  };

  Buffers make_buffers(std::size_t set, std::size_t sets) const;
  std::size_t set_bytes() const { return batch_ / buffers_.size() * size_ * kComplex; }
  void fill();
  void plan();
  NdRange work_items(std::size_t transforms) const;
  /// Enqueues transforms `first` to `first + count - 1` of a replication.
  void launch(std::size_t replica, std::uint32_t first, std::uint32_t count);

  /// Both steps of long transforms in one launch, where the device can: a replication's kernel, what its groups count,
  /// and how often it was launched.
  struct ReplicaChain {
    offload::Kernel kernel;
    Buffer counters;
    std::uint32_t launches = 0;
  };

  void chain();

  Job& job_;
  int log_size_;
  std::size_t size_;
  std::size_t batch_;
  std::vector<std::unique_ptr<offload::Queue>> queues_;  // one for each replication
  std::vector<float> host_;                              // real and imaginary parts by turns
  std::unique_ptr<offload::Program> program_;
  std::vector<offload::Kernel> kernels_;    // one for each replication
  std::vector<Buffers> buffers_;            // one set, or one for each replication where banks part them
  Buffer spare_;                            // what the probe writes
  std::vector<Buffer> scratch_;             // of each replication
  std::optional<offload::Kernel> columns_;  // goes before, on GPUs, for transforms that are longer than a tile
  std::vector<ReplicaChain> chained_;       // in place of both
  MemoryProbe memory_;
};

std::size_t work_items_of_cpu(const Job& job) {
  return static_cast<std::size_t>(job.conditions().device.compute_units) * kItemsOfCore;
}

/// The scratch memory of one replication: two transforms for each work-item of a CPU, all transforms of a GPU.
std::size_t scratch_bytes(const Job& job, std::size_t size) {
  if (job.conditions().single()) return kComplex;
  return kComplex * (job.conditions().gpu() ? integer(job, "DATA_SIZE") : 2 * size * work_items_of_cpu(job));
}

Fft::Fft(Job& job)
    : job_(job),
      log_size_(static_cast<int>(integer(job, "LOG_FFT_SIZE"))),
      size_(std::size_t{1} << log_size_),
      batch_(integer(job, "DATA_SIZE") / size_),
      host_(2 * batch_ * size_),
      program_(job.program(options_of(job))),
      kernels_(job.replications(*program_, "fft")),
      spare_(job.spare(batch_ * size_ * kComplex)),
      memory_(job) {
  if (program_->has("fft_columns")) columns_ = program_->kernel("fft_columns");
  for (std::size_t each = 0; each < integer(job, "NUM_REPLICATIONS"); ++each) {
    queues_.push_back(job.device().queue());
    scratch_.push_back(job.buffer(scratch_bytes(job, size_), kernels_[each], 3, "scratch", each));
  }
  const std::size_t sets = job.has_banks() ? queues_.size() : 1;
  for (std::size_t set = 0; set < sets; ++set) buffers_.push_back(make_buffers(set, sets));
  fill();
  if (program_->has("fft_plan")) plan();
  if (program_->has("fft_chained")) chain();
}

Fft::Buffers Fft::make_buffers(std::size_t set, std::size_t sets) const {
  const std::size_t bytes = batch_ / sets * size_ * kComplex;
  return {.in = job_.buffer(bytes, kernels_[set], 0, "in", set),
          .out = job_.buffer(bytes, kernels_[set], 1, "out", set),
          .twiddles = job_.buffer(size_ * kComplex, kernels_[set], 2, "twiddles", set)};
}

void Fft::fill() {
  const RandomValues random(static_cast<std::uint64_t>(job_.ranks().rank()));
  for (std::size_t index = 0; index < host_.size(); ++index) host_[index] = static_cast<float>(random.at(index));
  std::vector<float> roots(2 * size_);
  for (std::size_t k = 0; k < size_; ++k) {
    const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(size_);
    roots[2 * k] = static_cast<float>(std::cos(angle));
    roots[2 * k + 1] = static_cast<float>(std::sin(angle));
  }
  for (std::size_t set = 0; set < buffers_.size(); ++set) {
    job_.queue().write(buffers_[set].in, 0, offload::bytes_of(host_).subspan(set * set_bytes(), set_bytes()));
    job_.queue().write(buffers_[set].twiddles, 0, offload::bytes_of(roots));
  }
}

/// Kernels for CPUs want the roots in the order in which they use them: fewer than two for each value.
void Fft::plan() {
  const Buffer planned = job_.device().buffer(2 * size_ * kComplex);
  job_.queue().launch(program_->kernel("fft_plan"), NdRange::single(), {&buffers_.front().twiddles, &planned});
  job_.queue().finish();
  buffers_.front().twiddles = planned;
}

/// The counters of a launch are the number that groups draw from, and two for each transform.
void Fft::chain() {
  const std::vector<std::uint32_t> zeros(1 + 2 * (batch_ / queues_.size()));
  for (std::size_t each = 0; each < queues_.size(); ++each) {
    chained_.push_back({.kernel = program_->kernel("fft_chained"),
                        .counters = job_.device().buffer(zeros.size() * sizeof(std::uint32_t))});
    job_.queue().write(chained_.back().counters, 0, offload::bytes_of(zeros));
  }
}

NdRange Fft::work_items(std::size_t transforms) const {
  if (job_.conditions().single()) return NdRange::single();
  if (job_.conditions().gpu()) {
    const GpuTile tile = gpu_tile(log_size_);
    return {.global = {transforms * size_ / tile.values(), 1, 1}, .local = {tile.tile() / tile.values(), 1, 1}};
  }
  return {.global = {work_items_of_cpu(job_), 1, 1}, .local = {1, 1, 1}};
}

std::vector<Metric> Fft::metrics() const {
  const double operations = 5 * static_cast<double>(batch_ * size_) * log_size_;
  return {{.name = "fft", .quantity = "rate", .unit = "GFLOP/s", .work = operations * 1e-9}};
}

void Fft::reset() {
  for (const Buffers& set : buffers_) job_.spoil(set.out);
  for (const Buffer& each : scratch_) job_.spoil(each);
}

std::vector<double> Fft::run() {
  const std::size_t count = batch_ / queues_.size();
  return {job_.timed([&] {
    for (std::size_t replica = 0; replica < queues_.size(); ++replica) {
      launch(replica, static_cast<std::uint32_t>(buffers_.size() == 1 ? replica * count : 0),
             static_cast<std::uint32_t>(count));
      queues_[replica]->flush();
    }
    for (const auto& queue : queues_) queue->finish();
  })};
}

void Fft::launch(std::size_t replica, std::uint32_t first, std::uint32_t count) {
  const Buffers& buffers = buffers_[replica % buffers_.size()];
  const Buffer& scratch = scratch_[replica];
  offload::Queue& queue = *queues_[replica];
  if (!chained_.empty()) {
    ReplicaChain& chained = chained_[replica];
    job_.launched("fft", replica,
                  queue.launch(chained.kernel, work_items(2 * std::size_t{count}),
                               {&buffers.in, &buffers.out, &buffers.twiddles, &scratch, &chained.counters, first, count,
                                chained.launches++}));
    return;
  }
  if (columns_)
    job_.launched("fft", replica,
                  queue.launch(*columns_, work_items(count), {&buffers.in, &scratch, &buffers.twiddles, first}));
  job_.launched("fft", replica,
                queue.launch(kernels_[replica], work_items(count),
                             {&buffers.in, &buffers.out, &buffers.twiddles, &scratch, first, count}));
}

std::vector<double> Fft::probe() {
  const double bytes = memory_.rate(buffers_.front().in, buffers_.front().in, spare_, 1, set_bytes());
  return {5 * log_size_ * bytes / (2 * kComplex) * 1e-9};  // operations of a value, as in equation 3.1
}

/// ||d - d'|| / (epsilon ld n), maximum norm (meyer2024 3.1.4): d' is the reference's inverse transform of the result,
/// d the data, which so have the same size for any n. The text leaves open which of d and d' went through what; for
/// forward transforms of these data the quotient grows with sqrt(n) and passes 1.
Validation Fft::validate() {
  std::vector<float> result(host_.size());
  for (std::size_t set = 0; set < buffers_.size(); ++set)
    job_.queue().read(buffers_[set].out, 0, offload::bytes_of(result).subspan(set * set_bytes(), set_bytes()));
  const ReferenceFft reference(log_size_);
  std::vector<ReferenceFft::Complex> values(size_);
  double error = 0;
  for (std::size_t start = 0; start < result.size(); start += 2 * size_) {
    for (std::size_t k = 0; k < size_; ++k) values[k] = {result[start + 2 * k], result[start + 2 * k + 1]};
    reference.inverse(values);
    for (std::size_t t = 0; t < size_; ++t)
      error = larger(error, std::hypot(values[t].re - host_[start + 2 * t], values[t].im - host_[start + 2 * t + 1]));
  }
  return {.what = "residual", .error = error / (epsilon_of_type("float") * log_size_), .limit = 1};
}

/// The single work-item's delay lines, roots and buffer; see the kernel.
std::size_t local_bytes(const Job& job, std::size_t size) {
  constexpr std::size_t kOfSingle = 6 * kComplex;  // for each value
  if (job.conditions().single()) return kOfSingle * size;
  if (!job.conditions().gpu()) return 0;
  constexpr std::size_t kBetweenTransforms = 64;
  const auto tile = gpu_tile(static_cast<int>(integer(job, "LOG_FFT_SIZE")));
  return tile.log_tile > 12 ? (tile.tile() * 33 / 32 + kBetweenTransforms) * sizeof(float)
                            : (tile.tile() * 17 / 16 + kBetweenTransforms) * kComplex;
}

std::vector<ParameterSpec> fft_parameters(const RunConditions& conditions) {
  const std::int64_t values = std::int64_t{1} << (conditions.gpu() ? 26 : (conditions.single() ? 20 : 24));
  const std::int64_t standard = values << growth_of(conditions, 2 * kComplex * static_cast<double>(values));
  const char* small = conditions.single() ? "262144" : "1048576";
  return {
      {.name = "LOG_FFT_SIZE", .meaning = "logarithm of a transform's values", .value = "12", .least = 5, .most = 17},
      {.name = "DATA_SIZE",
       .meaning = "complex values of all transforms of a batch",
       .value = conditions.size == Size::small ? small : std::to_string(standard),
       .at_run = true},
      {.name = "NUM_REPLICATIONS",
       .meaning = "copies of the kernel, each with its part of the batch",
       .value = "1",
       .most = 1024},
  };
}

Needs fft_needs(const Job& job) {
  constexpr std::size_t kShortest = 512;  // values that short transforms of a CPU's work-item have together, at most
  const std::size_t size = std::size_t{1} << integer(job, "LOG_FFT_SIZE");
  const std::size_t together =
      job.conditions().gpu() ? gpu_tile(static_cast<int>(integer(job, "LOG_FFT_SIZE"))).tile() : kShortest;
  const std::size_t least = job.conditions().single() ? size : std::max(size, together);
  const std::size_t step = least * integer(job, "NUM_REPLICATIONS");
  if (integer(job, "DATA_SIZE") % step != 0)
    throw Error(fmt::format("{}: expected a multiple of {}: whole transforms of {} for each of {}",
                            with_value(job, "DATA_SIZE"), step, with_value(job, "LOG_FFT_SIZE"),
                            with_value(job, "NUM_REPLICATIONS")));
  require_local_memory(job, "LOG_FFT_SIZE", local_bytes(job, size));
  const std::size_t data = integer(job, "DATA_SIZE") * kComplex;
  const auto values = static_cast<double>(integer(job, "DATA_SIZE"));
  return {.memory = require_memory(job, "DATA_SIZE", 3 * data),
          .operations = 5 * values * static_cast<double>(integer(job, "LOG_FFT_SIZE")),
          .traffic = 2 * static_cast<double>(data)};
}

}  // namespace

Entry fft_benchmark() {
  return {"fft", "batched 1D Fourier transforms, single precision", fft_parameters, fft_needs, make<Fft>};
}

}  // namespace isthmus::hpcc
