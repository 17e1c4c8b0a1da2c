#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "isthmus/apps/frames.hpp"
#include "isthmus/apps/image_filter.hpp"
#include "isthmus/apps/image_flows.hpp"
#include "isthmus/engine/trace.hpp"
#include "isthmus/platform/grain.hpp"
#include "isthmus/program/difference.hpp"

namespace isthmus::apps {

using platform::Grain;

/// The image filter over a fixed number of frames, in one flow.
struct FilterJob {
  std::string flow;
  const FilterSpec& spec;
  const FrameSource& frames;
  /// Called with the number of images whose output has been compared with the reference, by the thread that compares.
  std::function<void(int)> progress;
  /// Is told how the parts of a model spend the run; none if it is not wanted. Real devices have nothing to tell.
  StateObserver* states = nullptr;
  int workers = 0;                         ///< threads of the target `native`; 0: as many as fit
  std::map<std::string, int> placement{};  ///< workers of its actors by name; the others are placed along the channels
  std::uint64_t schedule_seed = 0;         ///< of a model: see RunOptions; no result depends on it
  Grain grain = Grain::fine;               ///< of a model: the coarsest that will do
};

/// Messages are images, elements their bytes.
using program::Difference;

struct FilterRun {
  Time setup;  ///< opening the device, building the kernel, allocating buffers and pools
  FlowTimes times;
  std::optional<Difference> difference;  ///< none if every byte of every image is right
};

/// What an application runs on: a real device or a modelled board.
class Target {
 public:
  virtual ~Target() = default;
  virtual std::string device_name() const = 0;
  virtual bool modelled() const = 0;
  /// The flows that this target has: of "offload", "overlap" and "stream".
  virtual std::vector<std::string> flows() const = 0;
  /// Throws Error where `flow` is none of them, with what it lacks where that is known.
  virtual void require_flow(const std::string& flow) const;
  /// Runs `job`, whose flow is one of `flows()`.
  virtual FilterRun run(const FilterJob& job) = 0;
  /// Adds what the target can say about its last run to a row: a model its parts, bottleneck and platform.
  virtual void explain(nlohmann::ordered_json& row) const = 0;
};

/// Opens the target that a user named: "model:NAME", FILE.toml, "opencl:N", "opencl:NAME" or "native". `settings` are
/// KEY=VALUE pairs for a model's platform, `channel` is the link of a model that flows go over; where it is empty,
/// streams go over the first, transfers over all. Throws Error if there is no such target or a setting or channel fits
/// nothing.
std::unique_ptr<Target> open_target(const std::string& name, const std::vector<std::string>& settings,
                                    const std::string& channel = {});

/// Runs one of the flows of the offload interface. On a real device the images wait in host memory and are compared
/// after a batch has run, so that neither takes device time; on a model they are drawn on the way, compared by a thread
/// beside, and cost no virtual time.
FilterRun run_on_device(offload::Device& device, const FilterJob& job);

/// Compares outputs with the reference as they come, byte for byte.
class Checker {
 public:
  Checker(const FilterSpec& spec, ImageSize size, std::function<void(int)> progress);
  void check(int image, std::span<const std::byte> in, std::span<const std::byte> out);
  std::optional<Difference> difference() const { return differences_.found(); }

 private:
  const FilterSpec& spec_;
  ImageSize size_;
  std::function<void(int)> progress_;
  int checked_ = 0;
  std::vector<std::byte> expected_;
  program::Differences differences_;
};

}  // namespace isthmus::apps
