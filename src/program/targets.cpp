#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "flows/flows.hpp"
#include "flows/offload/run_on_device.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/offload/open.hpp"
#include "isthmus/platform/json.hpp"
#include "program/model_target.hpp"
#include "program/target.hpp"

namespace isthmus::program {
namespace {

/// The flows of an application that the target may have.
template <class May>
std::vector<std::string> those_of(const ByteApplication& application, const May& may) {
  auto flows = flows_of(application);
  std::erase_if(flows, [&may](const std::string& flow) { return !may(flow_named(flow)); });
  return flows;
}

class OpenClTarget final : public Target {
 public:
  explicit OpenClTarget(const std::string& name) : device_(offload::open_opencl(name)) {}

  std::string device_name() const override { return device_->properties().name; }
  bool modelled() const override { return false; }
  std::vector<std::string> flows(const ByteApplication& application) const override {
    return those_of(application, [](const Flow& flow) { return flow.between_copies != nullptr; });
  }
  Run run(const Job& job) override { return run_on_device(*device_, flow_named(job.flow), job); }
  void explain(Record&) const override {}

 private:
  std::unique_ptr<offload::Device> device_;
};

class NativeTarget final : public Target {
 public:
  std::string device_name() const override { return native::processor(); }
  bool modelled() const override { return false; }
  std::vector<std::string> flows(const ByteApplication& application) const override {
    return those_of(application, [&](const Flow& flow) { return flow.carries(application).on_threads != nullptr; });
  }
  std::span<const std::string_view> faults(const ByteApplication& application, const std::string& flow) const override {
    return flow_named(flow).carries(application).thread_faults;
  }
  Run run(const Job& job) override {
    ThreadsRun result = flow_named(job.flow).carries(job.application).on_threads(job);
    workers_ = std::move(result.workers);
    units_ = result.units;
    return std::move(result.run);
  }
  void explain(Record& row) const override {
    row["compute_units"] = units_;
    row["workers"] = platform::to_json(workers_);
  }

 private:
  int units_ = 1;
  std::vector<native::WorkerReport> workers_;
};

}  // namespace

void Target::require_flow(const ByteApplication& application, const std::string& flow) const {
  const auto offered = flows_of(application);
  const auto has = [&flow](const std::vector<std::string>& some) {
    return std::ranges::find(some, flow) != some.end();
  };
  if (!has(offered))
    throw Error(fmt::format("application '{}' has no flow '{}': expected {}", application.name, flow,
                            fmt::join(offered, " or ")));
  const auto known = flows(application);
  if (!has(known))
    throw Error(fmt::format("'{}' has no flow '{}' of '{}': expected {}", device_name(), flow, application.name,
                            known.empty() ? "another target" : fmt::format("{}", fmt::join(known, " or "))));
}

std::unique_ptr<Target> open_target(const std::string& name, const std::vector<std::string>& overrides,
                                    const std::string& channel) {
  if (platform::is_model(name)) return open_model_target(name, overrides, channel);
  const bool native = name == "native";
  if (!native && !name.starts_with("opencl:"))
    throw platform::unknown_target(name, "model:NAME, FILE.toml, opencl:N, opencl:NAME or native");
  if (!channel.empty())
    throw Error(
        fmt::format("--channel {}: target '{}' is no model, and only models have links to choose", channel, name));
  if (!overrides.empty())
    throw Error(fmt::format("--set {}: target '{}' is {}, only models have settings", overrides.front(), name,
                            native ? "this machine" : "a real device"));
  if (native) return std::make_unique<NativeTarget>();
  return std::make_unique<OpenClTarget>(name);
}

}  // namespace isthmus::program
