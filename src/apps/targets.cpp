#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/model_target.hpp"
#include "apps/native_flow.hpp"
#include "isthmus/apps/target.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/offload/opencl.hpp"

namespace isthmus::apps {
namespace {

class OpenClTarget final : public Target {
 public:
  explicit OpenClTarget(const std::string& name) : device_(offload::open_opencl(name)) {}

  std::string device_name() const override { return device_->info().name; }
  bool modelled() const override { return false; }
  std::vector<std::string> flows() const override { return {"offload", "overlap"}; }
  FilterRun run(const FilterJob& job) override { return run_on_device(*device_, job); }
  void explain(nlohmann::ordered_json&) const override {}

 private:
  std::unique_ptr<offload::Device> device_;
};

std::unique_ptr<Target> open_opencl_target(const std::string& name, const std::vector<std::string>& settings) {
  if (!settings.empty())
    throw Error(
        fmt::format("--set {}: target '{}' is a real device, only models have settings", settings.front(), name));
  return std::make_unique<OpenClTarget>(name);
}

}  // namespace

void Target::require_flow(const std::string& flow) const {
  const auto known = flows();
  if (std::ranges::find(known, flow) == known.end())
    throw Error(fmt::format("'{}' has no flow '{}': expected {}", device_name(), flow, fmt::join(known, " or ")));
}

std::unique_ptr<Target> open_target(const std::string& name, const std::vector<std::string>& settings,
                                    const std::string& channel) {
  if (name.starts_with("model:") || name.ends_with(".toml")) return open_model_target(name, settings, channel);
  if (!channel.empty())
    throw Error(
        fmt::format("--channel {}: target '{}' is no model, and only models have links to choose", channel, name));
  if (name.starts_with("opencl:")) return open_opencl_target(name, settings);
  if (name == "native") return open_native_target(settings);
  throw Error(
      fmt::format("unknown target '{}': expected model:NAME, FILE.toml, opencl:N, opencl:NAME or native", name));
}

}  // namespace isthmus::apps
