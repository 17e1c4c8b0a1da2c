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

/// What is to be probed, and how often.
struct Job {
  std::string target;
  std::vector<std::string> overrides;  ///< KEY=VALUE, of a model's platform
  std::string channel{};               ///< the link of a model; empty: the board's first
  std::vector<std::string>
      channels{};                     ///< of shared memory: those over which a circuit goes; empty: as the probe has it
  std::vector<std::string> starts{};  ///< of shared memory: what caches hold before; empty: as the probe has it
  std::vector<std::string> ports{};   ///< of a processor's memory: those of the FPGA; empty: all
  std::vector<std::string> states{};  ///< likewise: what a core has done to a buffer before; empty: as the probe has it
  std::vector<std::string> operations{};  ///< likewise: of maintenance; empty: all
  std::vector<int> buffers{1};            ///< likewise: into which a size is cut
  std::vector<int> loads{0};              ///< likewise: accesses that each other core has under way
  std::vector<Bytes> sizes;
  std::vector<Bytes> bursts;                      ///< of device memory: empty: the whole size at once; of a request
  Bytes offset{};                                 ///< of the device's accesses to host memory, in their page
  int samples = 1;                                ///< of each size; of a real device the most
  std::uint64_t seed = 1;                         ///< of the order in which a real device's are taken
  platform::Grain grain = platform::Grain::fine;  ///< of a model: the coarsest that will do
};

/// What a probe found at one size.
struct Finding {
  using Parameter = std::variant<bool, std::int64_t, std::string>;

  std::string quantity;  ///< "bandwidth" or "latency"
  std::string unit;
  Bytes size;
  std::vector<std::pair<std::string, Parameter>> parameters;  ///< besides the size
  std::vector<double> samples;                                ///< in the unit
  std::vector<Time> times;  ///< of one copy, pass or access; none if nothing was timed
  std::vector<std::pair<std::string, std::int64_t>> requests{};  ///< of shared memory, by channel
  std::optional<bool> verified{};  ///< whether the bytes that arrived are those that were sent; none: the probe says it
  std::optional<double> load{};    ///< of a real device: the share of the cores that others took meanwhile
  std::optional<double> host_busy{};  ///< of a model with one sample: the share of the time that the host worked
};

/// The device of a job, over its channel: a real one is opened once, a model anew for each size, so that a size's
/// result does not depend on the others.
class Target {
 public:
  explicit Target(const Job& job) : job_(job) {}
  offload::Device& open();
  /// The grain of a model's last run.
  std::optional<platform::Grain> grain() const;
  /// How long the host waited in a model's last run; none for a real device.
  std::optional<Time> host_waited() const;

 private:
  const Job& job_;
  std::unique_ptr<offload::Device> device_;
};

using Report = std::function<void(const Finding&)>;

/// The sizes that a probe looks at where they are not those that it is asked for.
struct Sizes {
  std::span<const Bytes> own{};   ///< whatever is asked for
  std::int64_t multiples_of = 0;  ///< bytes; of the asked for those multiples of it that are not above `most`
  std::int64_t most = 0;
};

/// A micro-benchmark; `run` reports each finding as soon as it is complete. What follows `of_a_link` is for who shows
/// or uses its records.
struct Probe {
  std::string_view name;
  std::string_view meaning;
  std::string_view crosses;  ///< what its bytes pass, by which limits of the models are told of it
  platform::Needs needs;     ///< of a modelled board
  void (*run)(const Job& job, Target& target, const Report& report);
  bool on_models_alone = false;
  bool of_a_link = true;  ///< what it finds is a link's: it is asked of each that the board has
  bool latency = false;   ///< what it gives is a time, else a rate
  bool curve = false;     ///< one value a size: a line over the sizes
  bool in_study = false;  ///< asked of each target of a study, a curve at several sizes, another at the largest
  bool fitted = false;    ///< host, link, DMA engine and launches decide it alone: models are calibrated with it
  bool compared = false;  ///< a calibrated model is compared with it
  Sizes looks_at{};
  std::string_view sizes = {};  ///< in words, those of the asked that it reports; empty: all, or those of its own
};

/// All probes, in the order in which they are shown.
std::span<const Probe> all_probes();

}  // namespace isthmus::probes
