#include "hpcc/hpl.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "hpcc/checks.hpp"
#include "hpcc/linear_system.hpp"
#include "hpcc/multiply_add_probe.hpp"
#include "hpcc/values.hpp"
#include "isthmus/cluster/broadcast.hpp"

namespace isthmus::hpcc {
namespace {

using offload::Buffer;
using offload::Kernel;
using offload::NdRange;

constexpr std::size_t kLuItems = 256;   // of the one work-group that decomposes a block on a GPU
constexpr std::size_t kCpuVectors = 2;  // in a row of the registers' block on a CPU
constexpr std::size_t kCpuVectorBytes = 64;

/// LU decomposition on the devices, right-looking, in blocks, without pivots; the factors' systems are solved on the
/// hosts (meyer2024 4.1.3). Each step has a communication phase, which makes its left and top blocks and brings them to
/// the ranks that need them, and an update phase. The inner row and column of blocks from which the next communication
/// phase starts are updated first; the others are while it lasts (figure 4.5).
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
  /// The place of this rank's blocks in step k, in blocks: of row and column k if they are its own, and behind them.
  struct Step {
    std::size_t k;
    std::size_t row, rows_left;        // rows_left behind row k
    std::size_t column, columns_left;  // likewise
    std::uint32_t inner_row, inner_column;
    std::size_t values_down, values_across;  // behind row and column k, without what fills up the last blocks
  };
  /// Inner blocks of a step, counted from the first one behind row and column k.
  struct Region {
    std::size_t first_row, rows;
    std::size_t first_column, columns;
  };
  /// What the update of a step reads. While it does the next step's are made: two sets take turns.
  struct Factors {
    Buffer left;
    Buffer top;
  };

  Step step(std::size_t k) const;
  Factors& factors(const Step& at) { return factors_[at.k % factors_.size()]; }
  Factors buffers() const;
  void communicate(const Step& at);
  void communicates(const Step& at, offload::Event event) {
    job_.launched("hpl", 0, std::move(event), "communication", static_cast<int>(at.k));
  }
  void decompose(const Step& at);
  void solve_left_and_top(const Step& at);
  void update(const Step& at);
  void update_rest(const Step& at, const Region& rest, const offload::Event& ready);
  offload::Event update(offload::Queue& queue, std::size_t replica, const Step& at, const Region& region);
  std::size_t pieces(const Region& region) const;
  void share_along_row(const Step& at, const Buffer& buffer, std::size_t blocks);
  void share_along_column(const Step& at, const Buffer& buffer, std::size_t blocks);
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
  // The queues of the update phase; the job's queue belongs to the communication phase.
  std::vector<std::unique_ptr<offload::Queue>> updates_;
  std::vector<offload::Event> updated_;  // the last update phase, of each of these queues
  std::unique_ptr<offload::Program> program_;
  Kernel lu_kernel_;
  Kernel left_kernel_;
  Kernel top_kernel_;
  std::vector<Kernel> update_kernels_;  // one for each replication
  Buffer a_;
  Buffer diagonal_;
  std::array<Factors, 2> factors_;
  std::unique_ptr<cluster::Broadcast> along_row_;
  std::unique_ptr<cluster::Broadcast> along_column_;
  MultiplyAddProbe multiply_adds_;
};

Hpl::Hpl(Job& job)
    : job_(job),
      type_(job.parameters().text("DATA_TYPE")),
      size_(integer(job, "MATRIX_SIZE")),
      block_(std::size_t{1} << integer(job, "LOCAL_MEM_BLOCK_LOG")),
      block_bytes_(block_ * block_ * size_of_type(type_)),
      rows_(size_, block_, job.grid().rows, job.grid().row_of(job.ranks().rank())),
      columns_(size_, block_, job.grid().columns, job.grid().column_of(job.ranks().rank())),
      program_(job.program()),
      lu_kernel_(program_->kernel("hpl_lu")),
      left_kernel_(program_->kernel("hpl_left")),
      top_kernel_(program_->kernel("hpl_top")),
      update_kernels_(job.replications(*program_, "hpl_update")),
      a_(job.buffer(rows_.my_size() * columns_.my_size() * size_of_type(type_), lu_kernel_, 0, "a")),
      diagonal_(job.buffer(2 * block_bytes_, lu_kernel_, 4, "diagonal")),
      factors_{buffers(), buffers()},
      multiply_adds_(job, type_) {
  // With two queues, one begins a piece where the other leaves compute units idle. A kernel that is one work-item has
  // one place for each of its copies.
  const std::size_t queues = std::max<std::size_t>(update_kernels_.size(), job.conditions().single() ? 1 : 2);
  for (std::size_t each = 0; each < queues; ++each) updates_.push_back(job.device().queue());
}

Hpl::Factors Hpl::buffers() const {
  return {.left = job_.buffer(rows_.my_blocks() * block_bytes_, left_kernel_, 5, "left"),
          .top = job_.buffer(columns_.my_blocks() * block_bytes_, top_kernel_, 5, "top")};
}

/// One row's ranks may fail where another row's do not: only all together may go on.
void Hpl::connect() {
  const std::string scheme = job_.choose_scheme();
  const auto broadcast = [&](const cluster::Ranks& ranks, std::size_t largest) {
    return ranks.size() == 1 ? nullptr : cluster::make_broadcast(scheme, job_.device(), ranks, largest);
  };
  system_ = std::make_unique<LinearSystem>(job_.ranks(), job_.grid(), size_, block_, type_);
  job_.ranks().agree(
      [&] { along_row_ = broadcast(system_->row_ranks(), std::max(factors_.front().left.size(), diagonal_.size())); });
  job_.ranks().agree([&] {
    along_column_ = broadcast(system_->column_ranks(), std::max(factors_.front().top.size(), diagonal_.size()));
  });
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
  job_.spoil(diagonal_);
  for (const Factors& each : factors_) {
    job_.spoil(each.left);
    job_.spoil(each.top);
  }
}

std::vector<double> Hpl::run() {
  updated_.clear();
  return {job_.timed([&] {
    communicate(step(0));
    for (std::size_t k = 0; k + 1 < rows_.blocks(); ++k) {
      update(step(k));
      communicate(step(k + 1));
    }
    job_.queue().finish();
    for (const auto& queue : updates_) queue->finish();
  })};
}

void Hpl::communicate(const Step& at) {
  decompose(at);
  solve_left_and_top(at);
}

/// The diagonal block, and its factors to all ranks that have left or top blocks of this step.
void Hpl::decompose(const Step& at) {
  const bool has_row = rows_.is_mine(at.k);
  const bool has_column = columns_.is_mine(at.k);
  if (has_row && has_column) {
    const bool gpu = job_.conditions().gpu();
    const NdRange items = gpu ? NdRange{.global = {kLuItems, 1, 1}, .local = {kLuItems, 1, 1}} : NdRange::single();
    communicates(at, job_.queue().launch(
                         lu_kernel_, items,
                         {&a_, in_values(columns_.my_blocks()), in_values(at.row), in_values(at.column), &diagonal_}));
  }
  if (has_row) share_along_row(at, diagonal_, 2);
  if (has_column) share_along_column(at, diagonal_, 2);
}

void Hpl::solve_left_and_top(const Step& at) {
  const auto ld = in_values(columns_.my_blocks());
  const auto& [left, top] = factors(at);
  if (columns_.is_mine(at.k) && at.rows_left > 0)
    communicates(at, job_.queue().launch(
                         left_kernel_,
                         panels(at.rows_left, at.values_down, std::size_t{1} << integer(job_, "REGISTER_BLOCK_LOG")),
                         {&a_, ld, at.inner_row, in_values(at.column), &diagonal_, &left,
                          static_cast<std::uint32_t>(at.rows_left)}));
  if (rows_.is_mine(at.k) && at.columns_left > 0)
    communicates(at, job_.queue().launch(top_kernel_, panels(at.columns_left, at.values_across, columns_of_panel()),
                                         {&a_, ld, in_values(at.row), at.inner_column, &diagonal_, &top,
                                          static_cast<std::uint32_t>(at.columns_left)}));
  share_along_row(at, left, at.rows_left);
  share_along_column(at, top, at.columns_left);
}

/// Begins once all of the last update is done. The next communication phase waits for its own row and column alone.
void Hpl::update(const Step& at) {
  const offload::Event ready = job_.queue().after(updated_);
  job_.queue().flush();
  const std::size_t row = rows_.is_mine(at.k + 1) ? 1 : 0;
  const std::size_t column = columns_.is_mine(at.k + 1) ? 1 : 0;
  const Region next_column{.first_row = 0, .rows = at.rows_left, .first_column = 0, .columns = column};
  const Region next_row{.first_row = 0, .rows = row, .first_column = column, .columns = at.columns_left - column};
  for (const Region& next : {next_column, next_row})
    if (next.rows * next.columns > 0) update(job_.queue(), 0, at, next);
  job_.queue().flush();
  update_rest(at, {.first_row = row, .rows = at.rows_left - row, .first_column = column, .columns = next_row.columns},
              ready);
}

void Hpl::update_rest(const Step& at, const Region& rest, const offload::Event& ready) {
  updated_.clear();
  const std::size_t all = rest.columns > 0 ? pieces(rest) : 0;
  for (std::size_t each = 0; each < std::min(all, updates_.size()); ++each) updates_[each]->after({ready});
  for (std::size_t each = 0; each < all; ++each) {
    const std::size_t first = each * rest.rows / all;
    const Region piece{.first_row = rest.first_row + first,
                       .rows = (each + 1) * rest.rows / all - first,
                       .first_column = rest.first_column,
                       .columns = rest.columns};
    auto& queue = *updates_[each % updates_.size()];
    auto event = update(queue, each % update_kernels_.size(), at, piece);
    queue.flush();
    if (each + updates_.size() >= all) updated_.push_back(std::move(event));
  }
}

/// Rows of blocks are launched in pieces, between which a kernel of the communication phase gets its turn: as many as
/// leave each compute unit some blocks of a piece.
std::size_t Hpl::pieces(const Region& region) const {
  constexpr std::size_t kMost = 8;
  const std::size_t of_a_unit = job_.conditions().gpu() ? 8 : 2;  // blocks: a unit of a GPU has several under way
  const std::size_t copies = update_kernels_.size();
  const auto units = static_cast<std::size_t>(std::max<std::int64_t>(job_.conditions().device.compute_units, 1));
  const std::size_t wanted = job_.conditions().single() ? copies : region.rows * region.columns / (of_a_unit * units);
  return std::min(region.rows, std::clamp(wanted, copies, std::max(kMost, copies)));
}

offload::Event Hpl::update(offload::Queue& queue, std::size_t replica, const Step& at, const Region& region) {
  const auto& [left, top] = factors(at);
  const auto values = [&](std::size_t first, std::size_t blocks, std::size_t behind) {
    return static_cast<std::uint32_t>(std::min(blocks * block_, behind - first * block_));
  };
  auto event =
      queue.launch(update_kernels_[replica], inner(region.rows, region.columns),
                   {&a_, in_values(columns_.my_blocks()), at.inner_row, at.inner_column, &left, &top,
                    static_cast<std::uint32_t>(region.first_row), static_cast<std::uint32_t>(region.first_column),
                    values(region.first_row, region.rows, at.values_down),
                    values(region.first_column, region.columns, at.values_across)});
  job_.launched("hpl", replica, event, "update", static_cast<int>(at.k));
  return event;
}

/// The first `blocks` blocks of the rank of the row that has column k, to all of the row.
void Hpl::share_along_row(const Step& at, const Buffer& buffer, std::size_t blocks) {
  if (along_row_ && blocks > 0) along_row_->send(job_.queue(), buffer, blocks * block_bytes_, columns_.owner(at.k));
}

void Hpl::share_along_column(const Step& at, const Buffer& buffer, std::size_t blocks) {
  if (along_column_ && blocks > 0) along_column_->send(job_.queue(), buffer, blocks * block_bytes_, rows_.owner(at.k));
}

NdRange Hpl::panels(std::size_t blocks, std::size_t values, std::size_t panel) const {
  if (job_.conditions().single()) return NdRange::single();
  if (job_.conditions().gpu()) return inner(1, blocks);
  return {.global = {(values + panel - 1) / panel, 1, 1}, .local = {1, 1, 1}};
}

NdRange Hpl::inner(std::size_t rows, std::size_t columns) const {
  if (job_.conditions().single()) return NdRange::single();
  const std::size_t side = job_.conditions().gpu() ? block_ >> integer(job_, "REGISTER_BLOCK_LOG") : 1;
  return {.global = {columns * side, rows * side, 1}, .local = {side, side, 1}};
}

Validation Hpl::validate() {
  Values factors(type_, system_->matrix().size(), 0);
  job_.queue().read(a_, 0, factors.bytes());
  return {.what = "residual", .error = system_->residual(system_->solve(factors)), .limit = 1};
}

}  // namespace

Entry hpl_benchmark() {
  return {.name = "hpl",
          .meaning = "LU decomposition without pivoting, solved over all ranks",
          .parameters = hpl_parameters,
          .needs = hpl_needs,
          .make = make<Hpl>,
          .exchanges = true};
}

}  // namespace isthmus::hpcc
