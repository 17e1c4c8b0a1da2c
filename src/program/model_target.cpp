#include "program/model_target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "flows/flows.hpp"
#include "flows/offload/at_once.hpp"
#include "flows/offload/host_storage.hpp"
#include "flows/offload/run_on_device.hpp"
#include "flows/packets/packets_through_host.hpp"
#include "flows/stream/board_devices.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"
#include "isthmus/offload/model.hpp"
#include "isthmus/platform/json.hpp"
#include "isthmus/platform/link.hpp"
#include "isthmus/platform/needs.hpp"
#include "isthmus/platform/shared_board.hpp"

namespace isthmus::program {
namespace {

/// Tells whether packets of an application come to a board's host and leave from there.
bool through_host(const platform::Description& board, const ByteApplication& application, const Flow& flow) {
  return application.extras.packets && flow.host_network && board.find("stack") != nullptr;
}

std::vector<std::string_view> needs_of(const platform::Description& board, const ByteApplication& application,
                                       const std::string& flow) {
  const Flow& of = flow_named(flow);
  const bool packets = application.extras.packets && of.between_copies == nullptr;
  const platform::Needs own = of.needs(application);
  std::vector<std::string_view> needs(own.begin(), own.end());
  const auto& more = application.extras.parts;
  needs.insert(needs.end(), more.begin(), more.end());
  if (through_host(board, application, of)) needs.emplace_back("network");
  if (application.extras.from_storage) needs.emplace_back("storage");
  if (application.extras.memory) needs.insert(needs.end(), {"dram", "axi"});
  if (packets && reaches_link(application))
    needs.insert(needs.end(), platform::kStreamNeeds.begin(), platform::kStreamNeeds.end());
  return needs;
}

class ModelTarget final : public Target {
 public:
  ModelTarget(platform::Description platform, std::string channel)
      : platform_(std::move(platform)), channel_(std::move(channel)) {
    const std::vector<std::string> ways = platform::ways_of(platform_);  // refused before anything is done with it
    if (!channel_.empty() && std::ranges::find(ways, channel_) == ways.end())
      throw Error(fmt::format("{}: {}", platform_.file().string(), unknown_name("channel", channel_, ways)));
  }

  std::string device_name() const override { return platform_.name(); }
  bool modelled() const override { return true; }
  std::vector<std::string> flows(const ByteApplication& application) const override {
    auto found = flows_of(application);
    std::erase_if(found, [&](const std::string& flow) {
      return !platform::has_all(platform_, needs_of(platform_, application, flow));
    });
    return found;
  }
  void require_flow(const ByteApplication& application, const std::string& flow) const override {
    const auto offered = flows_of(application);
    if (std::ranges::find(offered, flow) == offered.end()) return Target::require_flow(application, flow);
    platform::require(platform_, fmt::format("flow '{}'", flow), needs_of(platform_, application, flow));
  }

  std::span<const std::string_view> faults(const ByteApplication& application, const std::string& flow) const override {
    return flow_named(flow).carries(application).board_faults;
  }

  Run run(const Job& job) override {
    const Flow& flow = flow_named(job.flow);
    if (flow.between_copies == nullptr) return through_actors(flow, job);
    return flow.at_once && !comes_beside(flow, job) ? at_once(flow, job) : between_copies(flow, job);
  }

  void explain(Record& row) const override {
    row["grain"] = platform::to_string(grain_);
    row["parts"] = platform::to_json(parts_);
    row["bottleneck"] = platform::to_json(platform::bottleneck(parts_, lasted_, path_));
    row["platform"] = platform::to_json(platform_);
    if (platform_.channels().size() > 1 && !over_.empty()) row["channel"] = over_;
  }

 private:
  std::string channel_of_shared() const {
    const platform::Section* coherent = channel_.empty() ? platform_.find(platform::kCoherentLink) : nullptr;
    return coherent != nullptr ? coherent->channel() : channel_;
  }
  Run through_actors(const Flow& flow, const Job& job) {
    Job over = job;
    over.channel = channel_;
    const platform::Description board = flow.over_any ? platform_ : platform_.over(channel_);
    over_ = flow.over_any ? channel_of_shared() : board.channels().empty() ? "" : board.channels().front();
    return taken(flow.carries(job.application).on_board(board, over));
  }

  Run at_once(const Flow& flow, const Job& job) {
    over_ = channel_;
    return taken(run_at_once(platform_, channel_, flow, job));
  }

  /// Keeps the parts, the grain and the critical path of a run.
  Run taken(BoardRun result) {
    parts_ = std::move(result.parts);
    grain_ = result.grain;
    path_ = std::move(result.path);
    lasted_ = result.run.times.lasted;
    return std::move(result.run);
  }

  /// Tells whether an application's messages do not come from the host's memory.
  bool comes_beside(const Flow& flow, const Job& job) const {
    return job.application.extras.from_storage || through_host(platform_, job.application, flow);
  }

  Run run_beside(offload::ModelDevice& device, const Flow& flow, const Job& job) const {
    if (job.application.extras.from_storage) return run_stored_through_host(platform_, device, flow, job);
    return through_host(platform_, job.application, flow) ? run_packets_through_host(platform_, device, flow, job)
                                                          : run_on_device(device, flow, job);
  }

  Run between_copies(const Flow& flow, const Job& job) {
    const auto device = open_device(platform_, channel_, job, job.grain);
    over_ = channel_;
    Run run = run_beside(*device, flow, job);
    parts_ = device->parts();
    grain_ = device->grain();
    path_ = device->path();
    lasted_ = device->last_run();
    return run;
  }

  platform::Description platform_;
  std::string channel_;                ///< channel of the chosen link
  std::string over_;                   ///< link of the last run; empty: all links
  std::vector<platform::Part> parts_;  ///< parts of the last run
  std::vector<platform::Held> path_;
  Time lasted_;
  Grain grain_ = Grain::fine;
};

}  // namespace

std::unique_ptr<Target> open_model_target(const std::string& name, const std::vector<std::string>& overrides,
                                          const std::string& channel) {
  return std::make_unique<ModelTarget>(platform::load(platform::file_of(name), overrides), channel);
}

}  // namespace isthmus::program
