#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "hpcc/checks.hpp"
#include "hpcc/numbers_probe.hpp"
#include "hpcc/random_numbers.hpp"
#include "hpcc/run_conditions.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/hpcc/benchmark.hpp"

namespace isthmus::hpcc {
namespace {

constexpr std::uint64_t kUpdatesOfAWord = 4;
constexpr std::uint64_t kLanes = 8;   // generators of a work-item in the kernel for CPUs
constexpr double kMostErrors = 0.01;  // share of the words (meyer2024 3.1.3)

/// The words of a table that one kernel updates.
struct Range {
  std::uint64_t first;
  std::uint64_t size;
};

class RandomAccess final : public Benchmark {
 public:
  explicit RandomAccess(Job& job);

  std::vector<Metric> metrics() const override;
  void reset() override;
  std::vector<double> run() override;
  std::size_t working_set() const override { return mine_ * sizeof(std::uint64_t); }
  std::vector<double> probe() override;
  std::string model() const override {
    return "the slower of as many scattered words read and written by the random probe, and of all ranks' numbers made "
           "by the probe of the generator";
  }
  Validation validate() override;

 private:
  /// A way to change scattered words.
  struct Probe {
    offload::Kernel kernel;
    offload::NdRange range;
    std::uint64_t items() const { return range.global.front(); }
  };

  offload::NdRange work_items() const;
  void add_probes();

  Job& job_;
  std::uint64_t words_;  // of all ranks
  std::uint64_t mine_;   // of this rank
  std::uint64_t first_;  // of this rank's words
  std::uint64_t generators_;
  std::uint64_t replications_;
  bool atomic_;
  std::vector<std::uint64_t> start_;
  std::vector<offload::Buffer> tables_;  // one for each replication
  std::vector<offload::Buffer> seeds_;   // likewise
  std::vector<std::unique_ptr<offload::Queue>> queues_;
  std::vector<offload::Kernel> kernels_;
  std::vector<Probe> probes_;  // none where nothing compiles online
  offload::Buffer spare_;
  NumbersProbe numbers_;
};

std::uint64_t table_words(const Job& job) {
  return std::uint64_t{1} << integer(job, "TABLE_SIZE_LOG");
}

std::vector<std::uint64_t> seeds_of(std::uint64_t generators, std::uint64_t numbers) {
  std::vector<std::uint64_t> seeds(generators);
  for (std::uint64_t each = 0; each < generators; ++each) seeds[each] = number_at(each * (numbers / generators));
  return seeds;
}

RandomAccess::RandomAccess(Job& job)
    : job_(job),
      words_(table_words(job)),
      mine_(words_ / static_cast<std::uint64_t>(job.ranks().size())),
      first_(mine_ * static_cast<std::uint64_t>(job.ranks().rank())),
      generators_(std::uint64_t{1} << integer(job, "HPCC_FPGA_RA_RNG_COUNT_LOG")),
      replications_(integer(job, "NUM_REPLICATIONS")),
      atomic_(integer(job, "ATOMIC") != 0),
      start_(mine_),
      kernels_(job.replications(*job.program(), "random_access")),
      spare_(job.spare(mine_ * sizeof(std::uint64_t))),
      numbers_(job) {
  if (job.has_probes()) add_probes();
  std::iota(start_.begin(), start_.end(), first_);
  const auto seeds = seeds_of(generators_, kUpdatesOfAWord * words_);
  if (job.has_probes()) job.queue().write(spare_, 0, offload::bytes_of(start_));
  for (std::uint64_t each = 0; each < replications_; ++each) {
    tables_.push_back(job.buffer(mine_ / replications_ * sizeof(std::uint64_t), kernels_[each], 0, "table", each));
    seeds_.push_back(job.buffer(generators_ * sizeof(std::uint64_t), kernels_[each], 1, "seeds", each));
    job.queue().write(seeds_.back(), 0, offload::bytes_of(seeds));
    queues_.push_back(job.device().queue());
  }
}

std::vector<Metric> RandomAccess::metrics() const {
  return {{.name = "random_access",
           .quantity = "rate",
           .unit = "GUP/s",
           .work = static_cast<double>(kUpdatesOfAWord * mine_) * 1e-9}};
}

/// HPC Challenge begins with each word its own index.
void RandomAccess::reset() {
  const std::size_t part = mine_ / replications_;
  for (std::size_t each = 0; each < replications_; ++each)
    job_.queue().write(tables_[each], 0, std::as_bytes(std::span(start_).subspan(each * part, part)));
}

offload::NdRange RandomAccess::work_items() const {
  if (job_.conditions().single()) return offload::NdRange::single();
  if (job_.conditions().gpu()) return {.global = {generators_, 1, 1}};
  return {.global = {generators_ / kLanes, 1, 1}, .local = {1, 1, 1}};
}

std::vector<double> RandomAccess::run() {
  const std::uint64_t part = mine_ / replications_;
  const double seconds = job_.timed([&] {
    for (std::size_t each = 0; each < replications_; ++each) {
      const auto event = queues_[each]->launch(kernels_[each], work_items(),
                                               {&tables_[each], &seeds_[each], kUpdatesOfAWord * words_ / generators_,
                                                words_ - 1, first_ + each * part, part});
      job_.launched("random_access", each, event);
      queues_[each]->flush();
    }
    for (const auto& queue : queues_) queue->finish();
  });
  return {seconds};
}

void RandomAccess::add_probes() {
  const auto add = [this](const char* name, const char* options, const offload::NdRange& range) {
    probes_.push_back({job_.own_program(name, options)->kernel("probe_random"), range});
  };
  // Left to itself a driver puts items that stand for cores into a group or two, which keep a core or two busy.
  if (job_.conditions().on_cpu()) return add("probe_random_cpu", "", {.global = {64, 1, 1}, .local = {1, 1, 1}});
  add("probe_random_gpu", "-DPROBE_ATOMIC=0", {.global = {std::size_t{1} << 17U, 1, 1}});
  if (atomic_) add("probe_random_gpu", "-DPROBE_ATOMIC=1", {.global = {std::size_t{1} << 19U, 1, 1}});
}

std::vector<double> RandomAccess::probe() {
  constexpr std::uint64_t kBatch = 128;
  // Replications may run one after the other, each in its own part of the table alone.
  const std::uint64_t part = mine_ / replications_;
  double best = probes_.empty() ? kNoExpectation : 0;
  for (const Probe& probe : probes_) {
    const std::uint64_t batches = std::max<std::uint64_t>(kUpdatesOfAWord * mine_ / (kBatch * probe.items()), 1);
    const double seconds = job_.timed([&] {
      job_.queue().launch(probe.kernel, probe.range, {&spare_, part - 1, batches});
      job_.queue().finish();
    });
    best = std::max(best, static_cast<double>(probe.items() * batches * kBatch) / seconds * 1e-9);
  }
  // Each replication on each rank makes the numbers of all.
  const std::uint64_t all = replications_ * kUpdatesOfAWord * words_;
  const double made = numbers_.rate(all, words_ - 1, first_, part) / static_cast<double>(all);  // times a second
  return {std::min(best, made * metrics().front().work)};
}

/// The same numbers once more take every word back to what it was, so each that differs then is an error.
Validation RandomAccess::validate() {
  std::vector<std::uint64_t> table(mine_);
  const std::size_t part = mine_ / replications_;
  for (std::size_t each = 0; each < replications_; ++each)
    job_.queue().read(tables_[each], 0, std::as_writable_bytes(std::span(table).subspan(each * part, part)));
  std::uint64_t number = 1;
  for (std::uint64_t update = 0; update < kUpdatesOfAWord * words_; ++update) {
    number = next_number(number);
    const std::uint64_t at = (number & (words_ - 1)) - first_;
    if (at < mine_) table[at] ^= number;
  }
  std::uint64_t wrong = 0;
  for (std::size_t at = 0; at < mine_; ++at) wrong += table[at] != start_[at] ? 1 : 0;
  return {.what = "share of wrong words",
          .error = static_cast<double>(wrong) / static_cast<double>(mine_),
          .limit = atomic_ ? 0 : kMostErrors};
}

std::vector<ParameterSpec> random_access_parameters(const RunConditions& conditions) {
  const bool small = conditions.size == Size::small;
  const int log = conditions.gpu() ? 27 : 24;
  const int standard = log + growth_of(conditions, std::ldexp(sizeof(std::uint64_t), log) / conditions.ranks);
  const auto units =
      std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(conditions.device.compute_units, 1)));
  const int per_unit = std::countr_zero(units) + (conditions.gpu() ? 11 : 7);
  return {
      {.name = "TABLE_SIZE_LOG",
       .meaning = "logarithm of the words of the table, of all ranks together",
       .value = small ? "21" : std::to_string(standard),
       .least = 4,
       .most = 40,
       .at_run = true},
      {.name = "NUM_REPLICATIONS",
       .meaning = "copies of the kernel, each with its own range of the table",
       .kind = ParameterKind::power_of_two,
       .value = "1",
       .most = 1024},
      {.name = "HPCC_FPGA_RA_DEVICE_BUFFER_SIZE_LOG",
       .meaning = "logarithm of the steps for which the single-work-item kernel keeps a word between load and store",
       .value = "0",
       .least = 0,
       .most = 20},
      {.name = "HPCC_FPGA_RA_RNG_COUNT_LOG",
       .meaning = "logarithm of the generators",
       .value = conditions.single() ? "3" : fmt::format("{}", per_unit),
       .least = 0,
       .most = 24},
      {.name = "HPCC_FPGA_RA_RNG_DISTANCE",
       .meaning = "distance of generators in the shift register",
       .value = "1",
       .most = 64},
      {.name = "ATOMIC",
       .meaning = conditions.single() ? "the single-work-item kernel has no atomic updates"
                                      : "1: atomic updates, none is lost; 0: plain ones",
       .value = conditions.single() ? "0" : "1",
       .least = 0,
       .most = conditions.single() ? 0 : 1},
  };
}

Needs random_access_needs(const Job& job) {
  const auto ranks = static_cast<std::uint64_t>(job.ranks().size());
  if (!std::has_single_bit(ranks))
    throw Error(fmt::format("{} ranks: expected a power of two, by which the table is split", ranks));
  const auto parts = ranks * integer(job, "NUM_REPLICATIONS");
  const auto generators = std::uint64_t{1} << integer(job, "HPCC_FPGA_RA_RNG_COUNT_LOG");
  if (parts * generators > table_words(job))
    throw Error(fmt::format("{}: expected at least one word for each rank, replication and generator",
                            with_value(job, "TABLE_SIZE_LOG")));
  if (!job.conditions().single() && !job.conditions().gpu() && generators % kLanes != 0)
    throw Error(fmt::format("{}: expected at least 3, the generators of a vector",
                            with_value(job, "HPCC_FPGA_RA_RNG_COUNT_LOG")));
  constexpr double kLine = 64;      // bytes of memory, read and written for each word
  constexpr double kOfANumber = 4;  // shift, comparison, two more
  const auto updates = static_cast<double>(kUpdatesOfAWord * table_words(job));
  return {.memory = require_memory(job, "TABLE_SIZE_LOG", 2 * table_words(job) / ranks * sizeof(std::uint64_t)),
          .operations = kOfANumber * updates * static_cast<double>(integer(job, "NUM_REPLICATIONS")),
          .traffic = 2 * kLine * updates / static_cast<double>(ranks)};
}

}  // namespace

Entry random_access_benchmark() {
  return {"random_access", "updates of words scattered over memory", random_access_parameters, random_access_needs,
          make<RandomAccess>};
}

}  // namespace isthmus::hpcc
