#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "isthmus/offload/device.hpp"
#include "isthmus/platform/grain.hpp"
#include "isthmus/platform/needs.hpp"

namespace isthmus::probes {

/// The request: what to probe, and how often.
struct Job {
  std::string target;
  std::vector<std::string> overrides{};  ///< KEY=VALUE for a model's platform
  std::string channel{};                 ///< link of a model; empty: the board's first link
  std::vector<std::string> channels{};   ///< channels of a circuit with shared memory; empty: the probe's own
  std::vector<std::string> starts{};     ///< states of the caches before a shared-memory probe; empty: the probe's own
  std::vector<std::string> ports{};      ///< ports from the FPGA to a processor's memory; empty: all
  std::vector<std::string>
      states{};  ///< what a core has done to the buffer before, at such a port; empty: the probe's own
  std::vector<std::string> operations{};  ///< cache maintenance to probe; empty: all
  std::vector<int> buffers{1};            ///< numbers of buffers that a maintained size is cut into
  std::vector<int> loads{0};              ///< numbers of accesses that each other core has under way during maintenance
  std::vector<Bytes> sizes{};
  std::vector<Bytes> bursts{};  ///< bytes of one access to device memory (empty: the whole size), or of a request
  Bytes offset{};               ///< offset of the device's accesses to host memory in their page
  int samples = 1;              ///< samples of each size; for a real device the most
  std::uint64_t seed = 1;       ///< seed of the order in which a real device is sampled
  platform::Grain grain = platform::Grain::fine;  ///< grain of a model: the coarsest that may be used
};

/// The result of a probe at one size.
struct Finding {
  using Parameter = std::variant<bool, std::int64_t, std::string>;

  std::string quantity;  ///< "bandwidth" or "latency"
  std::string unit;
  Bytes size;
  std::vector<std::pair<std::string, Parameter>> parameters{};  ///< parameters other than the size
  std::vector<double> samples{};                                ///< samples, in `unit`
  std::vector<Time> times{};  ///< times of the single copies, passes or accesses; empty if nothing was timed
  std::vector<std::pair<std::string, std::int64_t>> requests{};  ///< requests of a shared-memory probe by channel
  std::optional<bool> verified{};     ///< whether the right bytes arrived; none: the probe itself reports it
  std::optional<double> load{};       ///< share of a real device's cores that other programs took
  std::optional<double> host_busy{};  ///< share of the time that the host worked, for a model with one sample
};

/// The device of a job, over its channel: a real one is opened once, a model anew for each size, so that a size's
/// result does not depend on the others.
class Target {
 public:
  explicit Target(const Job& job) : job_(job) {}
  offload::Device& open();
  /// The grain of a model's last run.
  std::optional<platform::Grain> grain() const;
  /// The time for which the host waited in a model's last run; none for a real device.
  std::optional<Time> host_waited() const;

 private:
  const Job& job_;
  std::unique_ptr<offload::Device> device_;
};

using Report = std::function<void(const Finding&)>;

/// The sizes that a probe looks at where they are not those that it is asked for.
struct Sizes {
  std::span<const Bytes> own{};   ///< sizes that the probe always takes
  std::int64_t multiples_of = 0;  ///< the probe takes sizes that are multiples of this, up to `most`, bytes
  std::int64_t most = 0;
};

/// What the bytes of probes cross. The limits of the models for it are shown with each of them.
struct CrossedParts {
  std::string_view name;
  platform::Needs needs;  ///< parts that a modelled board needs for it
  bool on_models_alone = false;
  bool of_a_link = true;  ///< whether it is of a link, so that each link of the board is probed
};

/// The use of a probe for models that are calibrated: those fitted with it are compared with it too. Only host, link,
/// DMA engine and launches decide what is fitted.
enum class Calibration { none, compared, fitted };

/// A micro-benchmark; `run` reports each finding as soon as it is complete. What follows `run` is for who shows or uses
/// its records.
struct Probe {
  std::string_view name;
  std::string_view meaning;
  CrossedParts crosses;
  void (*run)(const Job& job, Target& target, const Report& report);
  std::span<const std::string_view> takes = {};  ///< options of the command that only some probes take
  bool latency = false;                          ///< whether its value is a time; else a rate
  bool curve = false;                            ///< whether it has one value for each size, drawn as a line
  bool in_study = false;  ///< whether a study probes each target with it: a curve at several sizes, else the largest
  Calibration calibration = Calibration::none;
  Sizes looks_at{};
  std::string_view sizes = {};  ///< in words, which of the sizes asked for it reports; empty: all, or sizes of its own
};

/// All probes, in the order in which they are shown.
std::span<const Probe> all_probes();

}  // namespace isthmus::probes
