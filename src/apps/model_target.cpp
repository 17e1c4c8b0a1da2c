#include "apps/model_target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "apps/image_filter_kernel.hpp"
#include "apps/stream_flow.hpp"
#include "isthmus/offload/model.hpp"
#include "isthmus/platform/json.hpp"
#include "isthmus/platform/needs.hpp"

namespace isthmus::apps {
namespace {

using Json = nlohmann::ordered_json;

/// A flow, and the kinds of parts that it needs of a board: the filter keeps lines of its image in block RAM.
struct Flow {
  std::string_view name;
  platform::Needs needs;
};

constexpr std::array<std::string_view, 10> kThroughMemory = {"pcie", "memory", "cache", "call",   "mmio",
                                                             "dma",  "dram",   "axi",   "kernel", "onchip"};
constexpr std::array<std::string_view, 8> kThroughLink = {"pcie", "memory", "cache",  "call",
                                                          "mmio", "kernel", "stream", "onchip"};
constexpr std::array kFlows =
    std::to_array<Flow>({{"offload", kThroughMemory}, {"overlap", kThroughMemory}, {"stream", kThroughLink}});

class ModelTarget final : public Target {
 public:
  ModelTarget(platform::Description platform, std::string channel)
      : platform_(std::move(platform)), channel_(std::move(channel)), board_(platform_.over(channel_)) {}

  std::string device_name() const override { return platform_.name(); }
  bool modelled() const override { return true; }
  std::vector<std::string> flows() const override {
    std::vector<std::string> found;
    for (const Flow& flow : kFlows)
      if (platform::has_all(platform_, flow.needs)) found.emplace_back(flow.name);
    return found;
  }
  void require_flow(const std::string& flow) const override {
    const auto found = std::ranges::find(kFlows, flow, &Flow::name);
    if (found == kFlows.end()) return Target::require_flow(flow);
    platform::require(platform_, fmt::format("flow '{}'", flow), found->needs);
  }

  FilterRun run(const FilterJob& job) override {
    return job.flow == "stream" ? stream(job) : through_device_memory(job);
  }

  void explain(Json& row) const override {
    row["grain"] = platform::to_string(grain_);
    row["parts"] = platform::to_json(parts_);
    row["bottleneck"] = platform::to_json(platform::bottleneck(parts_, lasted_, path_));
    row["platform"] = platform::to_json(platform_);
    if (platform_.channels().size() > 1 && !over_.empty()) row["channel"] = over_;
  }

 private:
  FilterRun stream(const FilterJob& job) {
    StreamRun result = run_stream(board_, job);
    over_ = board_.channels().front();
    parts_ = std::move(result.parts);
    grain_ = result.grain;
    path_.clear();
    lasted_ = result.run.times.lasted;
    return result.run;
  }

  FilterRun through_device_memory(const FilterJob& job) {
    const auto device =
        offload::open_model(platform_, {image_filter_kernel()}, {.channel = channel_, .grain = job.grain});
    over_ = channel_;
    device->observe(job.states);
    device->shuffle(job.schedule_seed);
    FilterRun run = run_on_device(*device, job);
    parts_ = device->parts();
    grain_ = device->grain();
    path_ = device->path();
    lasted_ = device->last_run();
    return run;
  }

  platform::Description platform_;
  std::string channel_;               ///< of the link that was chosen
  platform::Description board_;       ///< with the link that streams go over: that, or the first
  std::string over_;                  ///< the link of the last run; empty: all
  std::vector<offload::Part> parts_;  ///< of the last run
  std::vector<platform::Held> path_;
  Time lasted_;
  Grain grain_ = Grain::fine;
};

}  // namespace

std::unique_ptr<Target> open_model_target(const std::string& name, const std::vector<std::string>& settings,
                                          const std::string& channel) {
  return std::make_unique<ModelTarget>(platform::load(platform::file_of(name), settings), channel);
}

}  // namespace isthmus::apps
