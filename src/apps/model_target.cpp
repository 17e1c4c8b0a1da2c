#include "apps/model_target.hpp"

#include <nlohmann/json.hpp>

#include "apps/image_filter_kernel.hpp"
#include "apps/stream_flow.hpp"
#include "isthmus/offload/model.hpp"
#include "isthmus/platform/json.hpp"

namespace isthmus::apps {
namespace {

using Json = nlohmann::ordered_json;

class ModelTarget final : public Target {
 public:
  explicit ModelTarget(platform::Description platform) : platform_(std::move(platform)) {}

  std::string device_name() const override { return platform_.name(); }
  bool modelled() const override { return true; }
  std::vector<std::string> flows() const override { return {"offload", "overlap", "stream"}; }

  FilterRun run(const FilterJob& job) override {
    return job.flow == "stream" ? stream(job) : through_device_memory(job);
  }

  void explain(Json& row) const override {
    row["parts"] = platform::to_json(parts_);
    row["bottleneck"] = platform::to_json(platform::bottleneck(parts_, lasted_, path_));
    row["platform"] = platform::to_json(platform_);
  }

 private:
  FilterRun stream(const FilterJob& job) {
    StreamRun result = run_stream(platform_, job);
    parts_ = std::move(result.parts);
    path_.clear();
    lasted_ = result.run.times.lasted;
    return result.run;
  }

  FilterRun through_device_memory(const FilterJob& job) {
    const auto device = offload::open_model(platform_, {image_filter_kernel()});
    device->observe(job.states);
    device->shuffle(job.schedule_seed);
    FilterRun run = run_on_device(*device, job);
    parts_ = device->parts();
    path_ = device->path();
    lasted_ = device->last_run();
    return run;
  }

  platform::Description platform_;
  std::vector<offload::Part> parts_;  ///< of the last run
  std::vector<platform::Held> path_;
  Time lasted_;
};

}  // namespace

std::unique_ptr<Target> open_model_target(const std::string& name, const std::vector<std::string>& settings) {
  return std::make_unique<ModelTarget>(platform::load(platform::file_of(name), settings));
}

}  // namespace isthmus::apps
