#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isthmus/hpcc/benchmark.hpp"

namespace isthmus::hpcc {

/// What a person asks for.
struct Request {
  std::string benchmark{};
  std::string target = "opencl:0";
  std::string variant{};  ///< "single", "ndrange" or empty: by the type of the device
  std::string shape{};    ///< of ND-range kernels: "cpu", "gpu" or empty: by the type of the device
  std::string size = "standard";
  bool optimized = false;
  bool share = false;    ///< several ranks may share a device that cannot be divided
  int parts = 0;         ///< of a CPU, at most its compute units: each rank takes one, however few ranks there are
  int repetitions = 0;   ///< 0: the benchmark's default
  double seconds = 0;    ///< burn-in: rounds of repetitions until this time is over; 0: one round, no burn-in
  std::string grid{};    ///< "PxQ"; empty: nearest to a square
  std::string scheme{};  ///< of communication; empty: by the kind of run
  std::string kernel_file{};
  std::string binary{};
  std::vector<std::string> overrides{};  ///< NAME=VALUE
  std::string parameters_from{};         ///< who chose the overrides, for the record; empty: as it is
};

/// What the model expects of a metric, from the device's own probes.
struct Expectation {
  double value = 0;   ///< the best probe
  double spread = 0;  ///< (best - worst) / best
};

/// Those beside a rank while it was timed.
struct Others {
  double load = 0;  ///< the share of the cores that other programs took
  int sharers = 1;  ///< ranks on its device, itself included, where that is shared
};

/// A metric of one run, over all ranks.
struct Result {
  Metric metric;
  double value = 0;  ///< of the best repetition
  double median = 0;
  double spread = 0;              ///< (p75 - p25) / median
  std::vector<double> samples{};  ///< of all repetitions
  std::vector<double> seconds{};  ///< of the slowest rank of each
  std::optional<Expectation> expected{};
  Others others{};

  /// What was reached of what is expected, 1 where they are equal and less where the value is worse.
  std::optional<double> efficiency() const;
  /// How long a repetition's work lasts at what is expected of a rate.
  std::optional<double> expected_seconds() const;
  /// Tells whether the probes can tell that a rate cannot be: not where so little work is expected to last less than
  /// the clock and the scheduler let us tell. What was measured has no say in that, or the more it cheats the less it
  /// would be judged.
  bool judged() const;
  /// Upper bound of a rate: the probed rate, 5 % (other instructions for the same work), and the spreads of probe and
  /// samples (at most their median); infinite where it is not judged. If other programs took a share of the cores, a
  /// quiet moment may be faster than the probes by what that share leaves, twice at most. If n ranks share a device,
  /// each is probed while all run and may be timed while it has the whole device: n times the rate.
  double bound() const;
};

/// The device and the host on which a rank runs.
struct RankLocation {
  int rank = 0;
  std::string host{};
  std::string target{};
  std::string device{};
  std::string type{};  ///< "cpu", "gpu", "accelerator" or "other"
  std::string pci{};   ///< empty where the driver does not tell
  int part = 0;        ///< of a divided device
  int parts = 1;
  bool shared = false;  ///< with another rank
  std::string cores{};  ///< that it was bound to, "0-3,8"; empty: to none
};

/// What a run until a time is over has seen. The samples of its results are of rounds, of each the best repetition.
struct BurnIn {
  double seconds = 0;          ///< from the first round's start to the last one's end
  int repetitions = 0;         ///< in all
  int wrong = 0;               ///< rounds whose results were wrong
  bool cut_short = false;      ///< by Ctrl-C
  std::vector<double> ends{};  ///< of each round, in seconds from the start
};

struct Outcome {
  std::vector<Result> results;
  Validation validation;
  std::size_t working_set = 0;  ///< bytes of one rank, where it is the most
  std::string model;
  RunConditions conditions;
  std::vector<ParameterSpec> parameters;
  std::string parameters_from;  ///< "defaults", "set", or the side file of a binary
  std::string kernel_file;
  std::string scheme;
  cluster::Grid grid;
  std::vector<RankLocation> locations;
  std::vector<Launch> launches;  ///< of all ranks in the last repetition
  bool shared = false;           ///< ranks are timed in turns: no rate of a device
  std::optional<double> load{};  ///< the share of its cores that others took, on the host where that was the most
  std::optional<BurnIn> burn_in{};
};

/// A repetition that is done: the `number`th of `total`, from 1; in burn-in a round, and seconds of those there are.
/// Begin and end are in seconds of the first rank's device's clock, which is its host's monotonic one.
struct Repetition {
  int number = 0;
  int total = 0;
  double begin = 0;
  double end = 0;
};

/// What is told while a benchmark runs, on every rank.
struct Listener {
  std::function<void(const std::vector<RankLocation>&)> on_locations{};  ///< before anything is timed
  std::function<void(const Repetition&)> on_repetition{};
};

/// Runs a benchmark on the device of each rank. Throws Error where something does not fit, and where a rate comes out
/// above what the device's own probes allow.
Outcome run(const Request& request, const cluster::Ranks& ranks, const Listener& listener = {});

/// What a run would be.
struct Plan {
  RunConditions conditions;
  std::vector<ParameterSpec> parameters;
  std::string parameters_from;
  cluster::Grid grid;
  std::vector<RankLocation> locations;
  Needs needs;  ///< of the rank that needs most
  int repetitions;
};

/// Finds out what `run` would do, on the device of each rank, and throws as it would for what does not fit; compiles
/// nothing, allocates nothing and runs nothing there.
Plan plan(const Request& request, const cluster::Ranks& ranks);

/// The target and part of this rank's device, and who shares it.
struct Placement {
  std::shared_ptr<offload::Device> device;
  std::vector<RankLocation> locations;  ///< of all ranks
};
Placement place(const Request& request, const cluster::Ranks& ranks);

}  // namespace isthmus::hpcc
