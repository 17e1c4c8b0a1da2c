#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "isthmus/cluster/grid.hpp"
#include "isthmus/cluster/ranks.hpp"
#include "isthmus/hpcc/parameters.hpp"
#include "isthmus/hpcc/side_file.hpp"
#include "isthmus/offload/device.hpp"

/// HPC Challenge for accelerators (meyer2024 chapters 3 and 4): what a benchmark is to the frame that runs it.
namespace isthmus::hpcc {

enum class Variant { single, ndrange };  ///< one work-item, written for HLS; work-items for CPUs and GPUs
enum class Size { small, standard };     ///< small: a working set of at most 64 MiB, under 10 s

/// What defaults may depend on.
struct RunConditions {
  offload::DeviceProperties device;
  Variant variant = Variant::ndrange;
  Size size = Size::standard;
  bool optimized = false;  ///< else the base run by the rules of meyer2024
  int ranks = 1;
  int sharers = 1;  ///< of a host's memory: the most ranks that one host has

  std::string asked_shape{};  ///< empty: by the type of the device

  /// Shape of ND-range kernels: "cpu" or "gpu".
  std::string shape() const {
    if (!asked_shape.empty()) return asked_shape;
    return on_cpu() ? "cpu" : "gpu";
  }
  /// Whatever shape the benchmark's own kernels have.
  bool on_cpu() const { return device.type == "cpu"; }
  bool single() const { return variant == Variant::single; }
  /// Tells whether ND-range kernels in the shape of a GPU run.
  bool gpu() const { return !single() && shape() == "gpu"; }
};

/// One quantity that a benchmark reports.
struct Metric {
  std::string name;      ///< "stream.triad"
  std::string quantity;  ///< "bandwidth", "rate" or "latency"
  std::string unit;
  /// Rates: work in the unit's numerator; value = work / seconds. Work of one rank where the value is an average over
  /// ranks, of all where it is a total (meyer2024 4.2.5). Latencies: value = work * seconds.
  double work = 0;
  bool total = false;
  /// Commands of which each waits for the one before: so much of the work at least is the driver's own pace.
  double steps = 1;
  /// Not timed itself: the mean of the metrics with these indices (equation 4.1).
  std::vector<std::size_t> mean_of = {};

  bool less_is_better() const { return quantity == "latency"; }
};

/// How wrong the results of one rank are: right if `error` is below `limit`, or both are 0.
struct Validation {
  std::string what{};  ///< "largest relative error"
  double error = 0;
  double limit = 0;
  bool passed() const { return error < limit || (error == 0 && limit == 0); }
};

/// When one replication of a kernel ran, on the device of one rank. The device's timer says it: only spans of one rank
/// compare.
struct Launch {
  std::string metric{};  ///< whose time it is part of
  std::string phase{};   ///< of a benchmark that has several: "communication" or "update"; else empty
  int turn = 0;          ///< the step of the algorithm whose phase it is
  int rank = 0;
  int replication = 0;
  offload::Span span{};
};

/// What a run of a benchmark on one rank works with.
class Job {
 public:
  struct Parts {
    std::shared_ptr<offload::Device> device;
    cluster::Ranks ranks;
    RunConditions conditions{};
    Parameters parameters{};
    cluster::Grid grid{};
    std::string scheme{};                 ///< of communication
    std::string kernel_file{};            ///< the user's own kernel; empty: ours
    std::string binary{};                 ///< of the device, empty: compiled online
    std::optional<SideFile> side_file{};  ///< of the binary
  };
  Job(std::string benchmark, Parts parts);

  offload::Device& device() const { return *parts_.device; }
  offload::Queue& queue() { return *queue_; }
  /// Seconds on the device's clock.
  double now() const { return device().now().seconds(); }
  const cluster::Ranks& ranks() const { return parts_.ranks; }
  const Parameters& parameters() const { return parts_.parameters; }
  const RunConditions& conditions() const { return parts_.conditions; }
  /// Tells whether the kernels were compiled elsewhere before; then their use of local memory is not checked.
  bool precompiled() const { return !parts_.binary.empty(); }
  const cluster::Grid& grid() const { return parts_.grid; }
  /// The scheme of communication that was asked for; empty: the benchmark's own choice, which it then says.
  const std::string& scheme() const { return parts_.scheme; }
  /// The one to use: that, or where none was asked for `staged` in a base run and what is best here in an optimized
  /// one. All ranks ask.
  const std::string& choose_scheme();
  /// That of the benchmark's exchanges; empty where it has none.
  const std::string& used_scheme() const { return used_scheme_; }

  /// The benchmark's kernels, compiled with every parameter as a macro: the user's own file, or
  /// kernels/hpcc/BENCHMARK_VARIANT[_SHAPE].cl; with any further `options`.
  std::unique_ptr<offload::Program> program(const std::string& options = {});
  /// kernels/hpcc/NAME.cl in place of these, in an optimized run of ours if the device's compiler takes it: kernels
  /// that want instructions that few devices have. Otherwise none.
  std::unique_ptr<offload::Program> special_program(const std::string& name);
  /// The kernel `name` of `program` for each of NUM_REPLICATIONS; throws Error where a binary has fewer of them.
  std::vector<offload::Kernel> replications(const offload::Program& program, const std::string& name) const;
  /// A buffer that the `replica`th copy of `kernel` takes as its argument `name`, the `index`th: on an FPGA board in
  /// the bank that this argument is connected to.
  offload::Buffer buffer(std::size_t bytes, const offload::Kernel& kernel, std::uint32_t index, const std::string& name,
                         std::size_t replica = 0) const;
  /// Tells whether each replication reaches only buffers of its own.
  bool has_banks() const { return parts_.side_file && !parts_.side_file->banks.empty(); }
  /// Tells whether the frame's own probes can run here. If nothing compiles online, there is no model.
  bool has_probes() const { return conditions().device.compiles_online; }
  /// A buffer that only probes use: of a byte where there are none.
  offload::Buffer spare(std::size_t bytes) const { return device().buffer(has_probes() ? bytes : 1); }
  /// Fills a buffer with what no kernel writes: every number in it is no number.
  void spoil(const offload::Buffer& buffer);
  /// A program of the frame's own: kernels/hpcc/NAME.cl, with the same macros and any further `options`.
  std::unique_ptr<offload::Program> own_program(const std::string& name, const std::string& options = {});
  /// The file that `program` took.
  const std::string& kernel_file() const { return used_file_; }

  /// From here on an interrupt stops no repetition: whoever repeats them looks for it in between.
  void finish_repetitions() { finishes_ = true; }
  /// How long `body` takes on this rank, in seconds, from a barrier of all ranks to its return; it waits for what it
  /// enqueued.
  double timed(const std::function<void()>& body) const;

  /// Keeps the event of a kernel's launch, the `replication`th of its copies, in the seconds of `metric`; waits for the
  /// first of each, which no repetition times.
  void launched(const std::string& metric, std::size_t replication, offload::Event event);
  /// The same in a phase of a step, whose launches count as one, from the first start to the last end.
  void launched(const std::string& metric, std::size_t replication, offload::Event event, const std::string& phase,
                int turn);
  void forget_launches() { launches_.clear(); }
  /// The launches that were kept, all complete.
  std::vector<Launch> launches() const;

  /// The largest that all buffers of one run may take together, in bytes.
  std::int64_t memory_limit() const;

 private:
  std::unique_ptr<offload::Program> compile(const std::string& file, const std::string& options) const;

  std::string benchmark_;
  Parts parts_;
  std::unique_ptr<offload::Queue> queue_;
  std::string used_file_;
  std::string used_scheme_;
  bool finishes_ = false;
  struct KeptLaunch {
    std::string metric;
    std::string phase;
    int turn;
    std::size_t replication;
    std::vector<offload::Event> events;

    bool is_with(const KeptLaunch& other) const;
    offload::Span span() const;
  };
  void keep(KeptLaunch launch);
  std::vector<KeptLaunch> launches_;
  std::set<std::tuple<std::string, std::string, std::size_t>> begun_;  ///< what was launched once
};

/// One benchmark, set up: made by Entry::make, which compiles, allocates and fills without a call that all ranks make,
/// after Entry::needs has checked the parameters, and then by `connect`.
class Benchmark {
 public:
  Benchmark() = default;
  Benchmark(const Benchmark&) = delete;
  Benchmark& operator=(const Benchmark&) = delete;
  virtual ~Benchmark() = default;

  virtual std::vector<Metric> metrics() const = 0;
  /// What ranks set up together, once each has made its benchmark. Throws on all of them or on none, as one that failed
  /// alone would leave the others waiting.
  virtual void connect() {}
  /// Puts the data back before a repetition, untimed: what the repetition is to change as it was, and what it is to
  /// write wrong, so that none passes for another's work.
  virtual void reset() = 0;
  /// One repetition: the seconds of each metric on this rank, from Job::timed.
  virtual std::vector<double> run() = 0;
  /// Bytes that the work of a repetition touches on this rank.
  virtual std::size_t working_set() const = 0;
  /// What the device's own probes, run now at the same working set and pattern, let the model expect of each metric, in
  /// its unit; NaN for none.
  virtual std::vector<double> probe() { return {}; }
  /// Says in words what that model is, with its equation.
  virtual std::string model() const { return {}; }
  /// Looks at the results of the last repetition.
  virtual Validation validate() = 0;
};

/// What a benchmark takes of one rank's device, known before anything is compiled or allocated.
struct Needs {
  std::size_t memory = 0;  ///< bytes of all buffers, those of probes included
  double operations = 0;   ///< arithmetic of a repetition
  double traffic = 0;      ///< bytes that a repetition moves through the device's memory, or between memories
};

/// How a benchmark is known.
struct Entry {
  std::string_view name;
  std::string_view meaning;
  std::vector<ParameterSpec> (*parameters)(const RunConditions& conditions);
  /// Throws Error for parameters that do not go together or do not fit the device.
  Needs (*needs)(const Job& job);
  std::unique_ptr<Benchmark> (*make)(Job& job);
  bool exchanges = false;  ///< whether ranks exchange bytes, by a communication scheme
};

template <class Of>
std::unique_ptr<Benchmark> make(Job& job) {
  return std::make_unique<Of>(job);
}

/// Every benchmark, in the order in which they are shown.
std::span<const Entry> all_benchmarks();

inline constexpr double kNoExpectation = std::numeric_limits<double>::quiet_NaN();

}  // namespace isthmus::hpcc
