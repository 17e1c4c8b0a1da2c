#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "hpcc/checks.hpp"
#include "hpcc/linear_system.hpp"
#include "hpcc/multiply_add_probe.hpp"
#include "hpcc/values.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/cluster/broadcast.hpp"
#include "isthmus/hpcc/benchmark.hpp"

namespace isthmus::hpcc {
namespace {

using offload::ComputeBuffer;
using offload::ComputeKernel;
using offload::NdRange;

constexpr std::size_t kLuItems = 256;  // of the one work-group that decomposes a block on a GPU
// On a CPU one work-item decomposes a block, and the others wait: 2/3 n^3 operations, a second and more beyond this.
constexpr std::int64_t kLargestCpuBlockLog = 10;
constexpr std::size_t kCpuVectors = 2;  // in a row of the registers' block on a CPU
constexpr std::size_t kCpuVectorBytes = 64;

/// LU decomposition on the devices, right-looking, in blocks, without pivots; the factors' systems are solved on the
/// hosts (meyer2024 4.1.3).
class Hpl final : public Benchmark {
 public:
  explicit Hpl(Job& job);

  std::vector<Metric> metrics() const override;
  void connect() override;
  void reset() override;
  std::vector<double> run() override;
  std::size_t working_set() const override { return a_.size(); }
  std::vector<double> probe() override { return {job_.ranks().size() * multiply_adds_.rate() * 1e-9}; }
  std::string model() const override { return "the multiply-add probe of each rank, 2 n^3 / 3 operations at its rate"; }
  Validation validate() override;

 private:
  /// Where step k finds this rank's blocks, in blocks: of row and column k if they are its own, and behind them.
  struct Step {
    std::size_t k;
    std::size_t row, rows_left;        // rows_left behind row k
    std::size_t column, columns_left;  // likewise
    std::uint32_t inner_row, inner_column;
    std::size_t values_down, values_across;  // behind row and column k, without what fills up the last blocks
  };

  Step step(std::size_t k) const;
  void decompose(const Step& at);
  void solve_left_and_top(const Step& at);
  void update(const Step& at);
  void share_along_row(const Step& at, const ComputeBuffer& buffer, std::size_t blocks);
  void share_along_column(const Step& at, const ComputeBuffer& buffer, std::size_t blocks);
  NdRange panels(std::size_t blocks, std::size_t values, std::size_t panel) const;
  NdRange inner(std::size_t rows, std::size_t columns) const;
  std::size_t columns_of_panel() const { return kCpuVectors * kCpuVectorBytes / size_of_type(type_); }
  std::uint32_t in_values(std::size_t blocks) const { return static_cast<std::uint32_t>(blocks * block_); }

  Job& job_;
  std::string type_;
  std::size_t size_;
  std::size_t block_;
  std::size_t block_bytes_;
  BlockCyclic rows_;
  BlockCyclic columns_;
  std::unique_ptr<LinearSystem> system_;
  std::vector<offload::ComputeQueue> queues_;  // one for each replication of the update
  offload::ComputeProgram program_;
  ComputeKernel lu_kernel_;
  ComputeKernel left_kernel_;
  ComputeKernel top_kernel_;
  std::vector<ComputeKernel> update_kernels_;  // one for each replication
  ComputeBuffer a_;
  ComputeBuffer diagonal_;
  ComputeBuffer left_;
  ComputeBuffer top_;
  std::unique_ptr<cluster::Broadcast> along_row_;
  std::unique_ptr<cluster::Broadcast> along_column_;
  MultiplyAddProbe multiply_adds_;
};

std::size_t block_of(const Job& job) {
  return std::size_t{1} << integer(job, "LOCAL_MEM_BLOCK_LOG");
}

Hpl::Hpl(Job& job)
    : job_(job),
      type_(job.parameters().text("DATA_TYPE")),
      size_(integer(job, "MATRIX_SIZE")),
      block_(block_of(job)),
      block_bytes_(block_ * block_ * size_of_type(type_)),
      rows_(size_, block_, job.grid().rows, job.grid().row_of(job.ranks().rank())),
      columns_(size_, block_, job.grid().columns, job.grid().column_of(job.ranks().rank())),
      program_(job.program()),
      lu_kernel_(program_.kernel("hpl_lu")),
      left_kernel_(program_.kernel("hpl_left")),
      top_kernel_(program_.kernel("hpl_top")),
      update_kernels_(job.replications(program_, "hpl_update")),
      a_(job.buffer(rows_.my_size() * columns_.my_size() * size_of_type(type_), lu_kernel_, 0, "a")),
      diagonal_(job.buffer(2 * block_bytes_, lu_kernel_, 4, "diagonal")),
      left_(job.buffer(rows_.my_blocks() * block_bytes_, left_kernel_, 5, "left")),
      top_(job.buffer(columns_.my_blocks() * block_bytes_, top_kernel_, 5, "top")),
      multiply_adds_(job, type_) {
  for (std::size_t each = 0; each < integer(job, "NUM_REPLICATIONS"); ++each) queues_.push_back(job.device().queue());
}

/// One row's ranks may fail where another row's do not: only all together may go on.
void Hpl::connect() {
  const std::string scheme = job_.choose_scheme();
  const auto broadcast = [&](const cluster::Ranks& ranks, std::size_t largest) {
    return ranks.size() == 1 ? nullptr : cluster::make_broadcast(scheme, job_.device(), ranks, largest);
  };
  system_ = std::make_unique<LinearSystem>(job_.ranks(), job_.grid(), size_, block_, type_);
  job_.ranks().agree([&] { along_row_ = broadcast(system_->row_ranks(), std::max(left_.size(), diagonal_.size())); });
  job_.ranks().agree(
      [&] { along_column_ = broadcast(system_->column_ranks(), std::max(top_.size(), diagonal_.size())); });
}

std::vector<Metric> Hpl::metrics() const {
  const auto n = static_cast<double>(size_);
  return {{.name = "hpl", .quantity = "rate", .unit = "GFLOP/s", .work = 2 * n * n * n / 3 * 1e-9, .total = true}};
}

Hpl::Step Hpl::step(std::size_t k) const {
  return {.k = k,
          .row = rows_.before(k),
          .rows_left = rows_.my_blocks() - rows_.before(k + 1),
          .column = columns_.before(k),
          .columns_left = columns_.my_blocks() - columns_.before(k + 1),
          .inner_row = in_values(rows_.before(k + 1)),
          .inner_column = in_values(columns_.before(k + 1)),
          .values_down = rows_.my_values_behind(k),
          .values_across = columns_.my_values_behind(k)};
}

void Hpl::reset() {
  job_.queue().write(a_, 0, system_->matrix().bytes());
  for (const ComputeBuffer* each : {&diagonal_, &left_, &top_}) job_.spoil(*each);
}

std::vector<double> Hpl::run() {
  return {job_.timed([&] {
    for (std::size_t k = 0; k < rows_.blocks(); ++k) {
      const Step at = step(k);
      decompose(at);
      solve_left_and_top(at);
      update(at);
    }
    job_.queue().finish();
  })};
}

/// The diagonal block, and its factors to all ranks that have left or top blocks of this step.
void Hpl::decompose(const Step& at) {
  const bool has_row = rows_.is_mine(at.k);
  const bool has_column = columns_.is_mine(at.k);
  if (has_row && has_column) {
    const bool gpu = job_.setting().gpu();
    const NdRange items = gpu ? NdRange{.global = {kLuItems, 1, 1}, .local = {kLuItems, 1, 1}} : NdRange::single();
    job_.queue().launch(lu_kernel_, items,
                        {&a_, in_values(columns_.my_blocks()), in_values(at.row), in_values(at.column), &diagonal_});
  }
  if (has_row) share_along_row(at, diagonal_, 2);
  if (has_column) share_along_column(at, diagonal_, 2);
}

void Hpl::solve_left_and_top(const Step& at) {
  const auto ld = in_values(columns_.my_blocks());
  if (columns_.is_mine(at.k) && at.rows_left > 0)
    job_.queue().launch(
        left_kernel_, panels(at.rows_left, at.values_down, std::size_t{1} << integer(job_, "REGISTER_BLOCK_LOG")),
        {&a_, ld, at.inner_row, in_values(at.column), &diagonal_, &left_, static_cast<std::uint32_t>(at.rows_left)});
  if (rows_.is_mine(at.k) && at.columns_left > 0)
    job_.queue().launch(
        top_kernel_, panels(at.columns_left, at.values_across, columns_of_panel()),
        {&a_, ld, in_values(at.row), at.inner_column, &diagonal_, &top_, static_cast<std::uint32_t>(at.columns_left)});
  share_along_row(at, left_, at.rows_left);
  share_along_column(at, top_, at.columns_left);
}

void Hpl::update(const Step& at) {
  if (at.rows_left == 0 || at.columns_left == 0) return;
  const auto launch = [&](offload::ComputeQueue& queue, std::size_t replica, std::size_t first, std::size_t count) {
    const auto event =
        queue.launch(update_kernels_[replica], inner(count, at.columns_left),
                     {&a_, in_values(columns_.my_blocks()), at.inner_row, at.inner_column, &left_, &top_,
                      static_cast<std::uint32_t>(first),
                      static_cast<std::uint32_t>(std::min(count * block_, at.values_down - first * block_)),
                      static_cast<std::uint32_t>(at.values_across)});
    job_.launched("hpl", replica, event);
    queue.flush();
  };
  if (queues_.size() == 1) return launch(job_.queue(), 0, 0, at.rows_left);
  job_.queue().finish();
  for (std::size_t replica = 0; replica < queues_.size(); ++replica) {
    const std::size_t first = replica * at.rows_left / queues_.size();
    const std::size_t count = (replica + 1) * at.rows_left / queues_.size() - first;
    if (count > 0) launch(queues_[replica], replica, first, count);
  }
  for (auto& queue : queues_) queue.finish();
}

/// The first `blocks` blocks of the rank of the row that has column k, to all of the row.
void Hpl::share_along_row(const Step& at, const ComputeBuffer& buffer, std::size_t blocks) {
  if (along_row_ && blocks > 0) along_row_->send(job_.queue(), buffer, blocks * block_bytes_, columns_.owner(at.k));
}

void Hpl::share_along_column(const Step& at, const ComputeBuffer& buffer, std::size_t blocks) {
  if (along_column_ && blocks > 0) along_column_->send(job_.queue(), buffer, blocks * block_bytes_, rows_.owner(at.k));
}

NdRange Hpl::panels(std::size_t blocks, std::size_t values, std::size_t panel) const {
  if (job_.setting().single()) return NdRange::single();
  if (job_.setting().gpu()) return inner(1, blocks);
  return {.global = {(values + panel - 1) / panel, 1, 1}, .local = {1, 1, 1}};
}

NdRange Hpl::inner(std::size_t rows, std::size_t columns) const {
  if (job_.setting().single()) return NdRange::single();
  const std::size_t side = job_.setting().gpu() ? block_ >> integer(job_, "REGISTER_BLOCK_LOG") : 1;
  return {.global = {columns * side, rows * side, 1}, .local = {side, side, 1}};
}

Validation Hpl::validate() {
  Values factors(type_, system_->matrix().size(), 0);
  job_.queue().read(a_, 0, factors.bytes());
  return {.what = "residual", .error = system_->residual(system_->solve(factors)), .limit = 1};
}

void check_gpu(const Job& job, std::size_t block, std::size_t value_bytes) {
  const std::size_t side = block >> integer(job, "REGISTER_BLOCK_LOG");
  const auto most = static_cast<std::size_t>(job.setting().device.max_work_group);
  constexpr std::size_t kDepth = 8;      // of the slices of blocks in local memory
  constexpr std::size_t kLargest = 128;  // block that the registers of one group hold twice
  if (block > kLargest)
    throw Error(
        fmt::format("{}: expected at most 7 on a GPU, blocks of {}", with_value(job, "LOCAL_MEM_BLOCK_LOG"), kLargest));
  require_local_memory(job, "LOCAL_MEM_BLOCK_LOG", 2 * kDepth * (2 * block + 4) * value_bytes);
  if (integer(job, "REGISTER_BLOCK_LOG") < 2 || side * side > most)
    throw Error(
        fmt::format("{}: expected at least 2, the logarithm of the width of loads, and at most {} work-items a "
                    "group, got {}",
                    with_value(job, "REGISTER_BLOCK_LOG"), most, side * side));
}

void check(const Job& job) {
  const std::string& type = job.parameters().text("DATA_TYPE");
  const std::size_t bytes = size_of_type(type);
  const std::size_t block = block_of(job);
  const std::size_t size = integer(job, "MATRIX_SIZE");
  if (type == "half") throw Error("DATA_TYPE=half: expected float or double");
  require_type(type, job.setting().device);
  const std::size_t blocks = (size + block - 1) / block;
  const auto most = static_cast<std::size_t>(std::max(job.grid().rows, job.grid().columns));
  if (blocks < most)
    throw Error(fmt::format("{}: expected at least {}, a block for each rank of the grid {}x{}",
                            with_value(job, "MATRIX_SIZE"), (most - 1) * block + 1, job.grid().rows,
                            job.grid().columns));
  if (integer(job, "REGISTER_BLOCK_LOG") > integer(job, "LOCAL_MEM_BLOCK_LOG"))
    throw Error(fmt::format("{}: expected at most {}", with_value(job, "REGISTER_BLOCK_LOG"),
                            with_value(job, "LOCAL_MEM_BLOCK_LOG")));
  if (job.setting().single()) require_local_memory(job, "LOCAL_MEM_BLOCK_LOG", 3 * block * block * bytes);
  if (job.setting().gpu()) check_gpu(job, block, bytes);
  require_memory(job, "MATRIX_SIZE",
                 blocks * blocks * block * block / static_cast<std::size_t>(job.ranks().size()) * bytes);
}

std::vector<ParameterSpec> hpl_parameters(const Setting& setting) {
  const char* standard = setting.gpu() ? "16384" : (setting.single() ? "1024" : "8192");
  const char* small = setting.single() ? "512" : "1024";
  return {
      {.name = "MATRIX_SIZE",
       .meaning = "n of the n x n matrix of all ranks together",
       .value = setting.size == Size::small ? small : standard,
       .most = 1 << 20,
       .at_run = true},
      {.name = "NUM_REPLICATIONS",
       .meaning = "copies of the kernel that updates inner blocks",
       .value = "1",
       .most = 1024},
      {.name = "DATA_TYPE", .meaning = "float or double", .kind = ParameterKind::data_type, .value = "float"},
      {.name = "LOCAL_MEM_BLOCK_LOG",
       .meaning = "logarithm of n of the blocks that ranks share out",
       .value = setting.gpu() ? "7" : (setting.single() ? "6" : "8"),
       .least = 5,
       .most = setting.single() || setting.gpu() ? 12 : kLargestCpuBlockLog},
      {.name = "REGISTER_BLOCK_LOG",
       .meaning = "logarithm of n of the blocks in registers; of their rows on a CPU",
       .value = "3",
       .least = 1,
       .most = 4},
  };
}

std::unique_ptr<Benchmark> make_hpl(Job& job) {
  check(job);
  return std::make_unique<Hpl>(job);
}

}  // namespace

Entry hpl_benchmark() {
  return {"hpl", "LU decomposition without pivoting, solved over all ranks", hpl_parameters, make_hpl};
}

}  // namespace isthmus::hpcc
