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
  std::vector<std::string> settings;  ///< KEY=VALUE, of a model's platform
  std::string channel{};              ///< the link of a model; empty: the board's first
  std::vector<Bytes> sizes;
  std::vector<Bytes> bursts;                      ///< of device memory; empty: the whole size at once
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
  std::vector<Time> times;       ///< of one copy, pass or access; none if nothing was timed
  std::optional<double> load{};  ///< of a real device: the share of the cores that others took meanwhile
};

/// The device of a job, over its channel: a real one is opened once, a model anew for each size, so that a size's
/// result does not depend on the others.
class Target {
 public:
  explicit Target(const Job& job) : job_(job) {}
  offload::Device& open();
  /// Of a model's last run.
  std::optional<platform::Grain> grain() const;

 private:
  const Job& job_;
  std::unique_ptr<offload::Device> device_;
};

using Report = std::function<void(const Finding&)>;

/// A micro-benchmark; `run` reports each finding as soon as it is complete.
struct Probe {
  std::string_view name;
  std::string_view meaning;
  bool on_models_alone;
  bool of_a_link;         ///< what it finds is a link's: it is asked of each that the board has
  platform::Needs needs;  ///< of a modelled board
  void (*run)(const Job& job, Target& target, const Report& report);
  std::string_view sizes = {};  ///< in words, those of the asked that it reports; empty: all, or those of its own
};

/// All probes, in the order in which they are shown.
std::span<const Probe> all_probes();

}  // namespace isthmus::probes
