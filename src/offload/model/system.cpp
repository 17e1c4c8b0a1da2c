#include "isthmus/offload/system.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isthmus/base/error.hpp"
#include "isthmus/offload/needs.hpp"
#include "isthmus/platform/needs.hpp"
#include "offload/model/device.hpp"

namespace isthmus::offload {
namespace {

using namespace model;

class ModelSystemImpl final : public ModelSystem {
 public:
  ModelSystemImpl(const std::vector<SystemBoard>& boards, const std::vector<KernelModel>& kernels, std::uint64_t seed)
      : order_{.seed = seed, .schedule_seed = 0} {
    for (const SystemBoard& board : boards) {
      platform::require(board.platform, "a board in a host with others", needs::kHostAccess);
      names_.push_back(board.name);
      devices_.push_back(
          std::make_unique<MachineDevice>(board.platform, kernels, ModelOptions{.channel = {}, .seed = seed}));
    }
  }

  std::size_t boards() const override { return devices_.size(); }
  const std::string& name(std::size_t board) const override { return names_.at(board); }
  ModelDevice& device(std::size_t board) override { return *devices_.at(board); }

  void run(std::vector<std::vector<HostThread>> threads) override {
    Time start;
    for (const auto& device : devices_) start = std::max(start, device->clock());
    for (const auto& device : devices_) device->wait_until(start);
    Graph graph(order_.seed);
    int links = 0;
    int cores = 0;
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      links += static_cast<int>(devices_[i]->spec().board.links.size());
      cores += copying_cores(devices_[i]->spec(), threads.at(i).size());
    }
    fabric::Host host(graph, needed(devices_.front()->spec().board.host), links, cores);
    std::vector<std::unique_ptr<DeviceRun>> runs;
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      const Scope scope = graph.scope(names_[i]);
      runs.push_back(devices_[i]->begin(graph, std::move(threads.at(i)), &host));
    }
    const RunReport report = graph.run(options_of_bodies(order_));
    require_finished(runs, report, fmt::format("{} boards in one host", devices_.size()));
    for (std::size_t i = 0; i < devices_.size(); ++i) devices_[i]->end(*runs[i], report);
  }

 private:
  RunOrder order_;
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<MachineDevice>> devices_;
};

}  // namespace

std::unique_ptr<ModelSystem> open_system(const std::vector<SystemBoard>& boards,
                                         const std::vector<KernelModel>& kernels, std::uint64_t seed) {
  if (boards.empty()) throw Error("a system: expected at least one board");
  return std::make_unique<ModelSystemImpl>(boards, kernels, seed);
}

}  // namespace isthmus::offload
