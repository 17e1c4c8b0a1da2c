#include "hpcc/gemm.hpp"

#include <cmath>
#include <optional>

#include "hpcc/checks.hpp"
#include "hpcc/multiply_add_probe.hpp"
#include "hpcc/random_values.hpp"
#include "hpcc/values.hpp"

namespace isthmus::hpcc {
namespace {

using offload::Buffer;
using offload::NdRange;

constexpr double kAlpha = 0.5;
constexpr double kBeta = 2.0;
constexpr std::size_t kTensorTile = 128;
constexpr std::size_t kTensorItems = 256;  // of a work-group, in gemm_tensor.cl

/// More precise than any type under test.
using Vector = std::vector<long double>;

/// C = alpha A B + beta C (meyer2024 3.1.5).
class Gemm final : public Benchmark {
 public:
  explicit Gemm(Job& job);

  std::vector<Metric> metrics() const override;
  void reset() override;
  std::vector<double> run() override;
  std::size_t working_set() const override { return 4 * a_.size(); }
  std::vector<double> probe() override { return {multiply_adds_.rate() * 1e-9}; }
  std::string model() const override { return "the multiply-add probe, 2 n^3 operations at its rate"; }
  Validation validate() override;

 private:
  /// A and B as panels, for kernels that want them so: kernels that are no part of the signature that a user's own
  /// kernel needs.
  struct Packing {
    offload::Kernel a_kernel;
    offload::Kernel b_kernel;
    Buffer a;
    Buffer b;
  };

  Values matrix(std::uint64_t which) const;
  std::optional<Packing> packing(const offload::Program& program) const;
  void pack(const Packing& packing);
  NdRange work_items(std::size_t block_rows) const;
  Vector product(const Values& matrix, const Vector& vector) const;
  double row_residual(const Vector& signs, const Values& result) const;

  Job& job_;
  std::string type_;
  std::size_t size_;
  std::size_t block_;
  std::vector<std::unique_ptr<offload::Queue>> queues_;  // one for each replication
  Values host_a_;
  Values host_b_;
  Values host_c_;
  std::shared_ptr<offload::Program> tensor_;  // of the device's matrix instruction
  std::shared_ptr<offload::Program> program_;
  std::vector<offload::Kernel> kernels_;  // one for each replication
  Buffer a_;
  Buffer b_;
  Buffer c_;
  Buffer out_;
  std::optional<Packing> packing_;
  MultiplyAddProbe multiply_adds_;
};

/// For doubles in tiles of the size that it is written for, where the device's compiler takes it.
std::unique_ptr<offload::Program> tensor_program(Job& job) {
  if (job.conditions().device.type != "gpu" || !job.conditions().gpu() || job.precompiled()) return {};
  if (job.parameters().text("DATA_TYPE") != "double") return {};
  if (integer(job, "BLOCK_SIZE") != kTensorTile) return {};
  return job.special_program("gemm_tensor");
}

Gemm::Gemm(Job& job)
    : job_(job),
      type_(job.parameters().text("DATA_TYPE")),
      size_(integer(job, "MATRIX_SIZE")),
      block_(integer(job, "BLOCK_SIZE")),
      host_a_(matrix(0)),
      host_b_(matrix(1)),
      host_c_(matrix(2)),
      tensor_(tensor_program(job)),
      program_(tensor_ ? tensor_ : std::shared_ptr(job.program())),
      kernels_(job.replications(*program_, "gemm")),
      a_(job.buffer(host_a_.bytes().size(), kernels_.front(), 0, "a")),
      b_(job.buffer(a_.size(), kernels_.front(), 1, "b")),
      c_(job.buffer(a_.size(), kernels_.front(), 2, "c")),
      out_(job.buffer(a_.size(), kernels_.front(), 3, "c_out")),
      packing_(packing(*program_)),
      multiply_adds_(job, type_, tensor_ ? MultiplyAdder::tensor : MultiplyAdder::scalar) {
  for (std::size_t each = 0; each < integer(job, "NUM_REPLICATIONS"); ++each) queues_.push_back(job.device().queue());
  job_.queue().write(a_, 0, host_a_.bytes());
  job_.queue().write(b_, 0, host_b_.bytes());
  job_.queue().write(c_, 0, host_c_.bytes());
}

Values Gemm::matrix(std::uint64_t which) const {
  Values values(type_, size_ * size_, 0);
  const RandomValues random(3 * static_cast<std::uint64_t>(job_.ranks().rank()) + which);
  for (std::size_t index = 0; index < values.size(); ++index) values.set(index, random.at(index));
  return values;
}

std::optional<Gemm::Packing> Gemm::packing(const offload::Program& program) const {
  if (!program.has("gemm_pack_a")) return {};
  const std::size_t bytes = size_ * size_ * (type_ == "double" ? sizeof(double) : sizeof(float));
  return Packing{.a_kernel = program.kernel("gemm_pack_a"),
                 .b_kernel = program.kernel("gemm_pack_b"),
                 .a = job_.device().buffer(bytes),
                 .b = job_.device().buffer(bytes)};
}

void Gemm::pack(const Packing& packing) {
  const auto size = static_cast<std::uint32_t>(size_);
  const std::size_t columns = gemm_columns(job_);
  const NdRange a_panels{.global = {size_ / integer(job_, "GEMM_SIZE"), 1, 1}, .local = {1, 1, 1}};
  const NdRange b_panels{.global = {size_ / columns, 1, 1}, .local = {1, 1, 1}};
  job_.queue().launch(packing.a_kernel, a_panels, {&a_, &packing.a, size});
  job_.queue().launch(packing.b_kernel, b_panels, {&b_, &packing.b, size});
  job_.queue().finish();
}

NdRange Gemm::work_items(std::size_t block_rows) const {
  if (job_.conditions().single()) return NdRange::single();
  if (tensor_) return {.global = {size_ / block_ * kTensorItems, block_rows, 1}, .local = {kTensorItems, 1, 1}};
  const std::size_t x = job_.conditions().gpu() ? block_ / gemm_columns(job_) : 1;
  const std::size_t y = job_.conditions().gpu() ? block_ / integer(job_, "GEMM_SIZE") : 1;
  return {.global = {size_ / block_ * x, block_rows * y, 1}, .local = {x, y, 1}};
}

std::vector<Metric> Gemm::metrics() const {
  const auto n = static_cast<double>(size_);
  return {{.name = "gemm", .quantity = "rate", .unit = "GFLOP/s", .work = 2 * n * n * n * 1e-9}};
}

void Gemm::reset() {
  job_.spoil(out_);
  if (!packing_) return;
  job_.spoil(packing_->a);
  job_.spoil(packing_->b);
}

std::vector<double> Gemm::run() {
  const auto scalar = [this](double value) {
    return type_ == "double" ? offload::Argument(value) : offload::Argument(static_cast<float>(value));
  };
  const std::size_t rows = size_ / block_;
  return {job_.timed([&] {
    if (packing_) pack(*packing_);
    for (std::size_t replica = 0; replica < queues_.size(); ++replica) {
      const std::size_t first = replica * rows / queues_.size();
      const std::size_t count = (replica + 1) * rows / queues_.size() - first;
      const auto event = queues_[replica]->launch(
          kernels_[replica], work_items(count),
          {packing_ ? &packing_->a : &a_, packing_ ? &packing_->b : &b_, &c_, &out_, scalar(kAlpha), scalar(kBeta),
           static_cast<std::uint32_t>(size_), static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count)});
      job_.launched("gemm", replica, event);
      queues_[replica]->flush();
    }
    for (const auto& queue : queues_) queue->finish();
  })};
}

Vector Gemm::product(const Values& matrix, const Vector& vector) const {
  Vector result(size_);
  for (std::size_t row = 0; row < size_; ++row)
    for (std::size_t column = 0; column < size_; ++column)
      result[row] += matrix.at(row * size_ + column) * vector[column];
  return result;
}

/// The largest |C' x - (alpha A (B x) + beta C x)| of a row, C' being the result and x the signs.
double Gemm::row_residual(const Vector& signs, const Values& result) const {
  const Vector found = product(result, signs);
  const Vector ab = product(host_a_, product(host_b_, signs));
  const Vector c = product(host_c_, signs);
  double largest = 0;
  for (std::size_t row = 0; row < size_; ++row) {
    largest = larger(largest, static_cast<double>(std::abs(found[row] - (kAlpha * ab[row] + kBeta * c[row]))));
  }
  return largest;
}

/// ||C - C'|| / (epsilon n ||C||) with maximum norms (meyer2024 3.1.5 prints the Frobenius norm for ||C||, which is up
/// to n times larger and lets a wrong exponent of one element of a large matrix pass). C - C' is looked at through two
/// vectors of random signs (Freivalds, MFCS 1979), in double precision and n^2 operations: a wrong element appears in
/// its row with its whole error.
Validation Gemm::validate() {
  constexpr std::uint64_t kVectors = 2;
  Values result(type_, size_ * size_, 0);
  job_.queue().read(out_, 0, result.bytes());
  double largest = 0;
  for (std::size_t index = 0; index < result.size(); ++index) largest = larger(largest, std::abs(result.at(index)));
  double error = 0;
  for (std::uint64_t which = 0; which < kVectors; ++which) {
    const RandomValues random(~which);
    Vector signs(size_);
    for (std::size_t index = 0; index < size_; ++index) signs[index] = std::copysign(1.0, random.at(index));
    error = larger(error, row_residual(signs, result));
  }
  return {
      .what = "residual", .error = error / (epsilon_of_type(type_) * static_cast<double>(size_) * largest), .limit = 1};
}

}  // namespace

Entry gemm_benchmark() {
  return {"gemm", "matrix multiplication: alpha A B + beta C", gemm_parameters, gemm_needs, make<Gemm>};
}

}  // namespace isthmus::hpcc
