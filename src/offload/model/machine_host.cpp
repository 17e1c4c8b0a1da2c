#include <fmt/format.h>

#include "isthmus/base/error.hpp"
#include "offload/model/host_parts.hpp"
#include "offload/model/machine.hpp"
#include "offload/model/runtime.hpp"

namespace isthmus::offload::model {
namespace {

constexpr std::size_t kMostThreads = 8;

/// The runtime's ports, however many threads it serves.
struct RuntimePorts {
  std::vector<In<HostCall>*> calls;
  std::vector<Out<HostReply>*> replies;
  std::array<Out<CommandToken>, fabric::kUnits>* units;
  std::array<In<CommandToken>, fabric::kUnits>* completions;
};

template <std::size_t Threads>
RuntimePorts add_runtime(Graph& graph, std::size_t threads, Time base) {
  if constexpr (Threads < kMostThreads) {
    if (threads > Threads) return add_runtime<Threads + 1>(graph, threads, base);
  }
  auto& runtime = graph.add<Runtime<Threads>>("runtime", {}, base);
  RuntimePorts ports{.calls = {}, .replies = {}, .units = &runtime.units, .completions = &runtime.completions};
  for (auto& call : runtime.calls) ports.calls.push_back(&call);
  for (auto& reply : runtime.replies) ports.replies.push_back(&reply);
  return ports;
}

RuntimePorts add_threads(Graph& graph, const MachinePlan& plan) {
  const std::size_t count = plan.threads.size();
  if (count == 0 || count > kMostThreads)
    throw Error(fmt::format("{} host threads: expected 1 to {}", count, kMostThreads));
  RuntimePorts runtime = add_runtime<1>(graph, count, plan.context.start);
  for (std::size_t i = 0; i < count; ++i) {
    auto& thread = graph.add<HostThreadActor>(thread_name(plan.threads[i]), {}, plan.threads[i], plan.context);
    graph.connect(thread.calls, *runtime.calls[i], between_host_parts());
    graph.connect(*runtime.replies[i], thread.replies, between_host_parts());
  }
  return runtime;
}

/// Connects `from` to the next stage and returns that stage's output.
template <class Stage>
Out<CommandToken>& then(Graph& graph, Out<CommandToken>& from, Stage& stage) {
  graph.connect(from, stage.in, between_host_parts());
  return stage.out;
}

/// What a transfer passes on its way to the device's doorbell, the copy of one to the device included.
Out<CommandToken>& add_transfer(Graph& graph, const MachinePlan& plan, PinnedMemory& pinned, Unit unit,
                                Out<CommandToken>& runtime) {
  const HostSpec& host = plan.spec.host;
  const auto name = unit == Unit::to_device ? to_device : to_host;
  auto& call = graph.add<TransferCall>(name(kTransferCall), {}, host.transfer, Staging(pinned, plan.spec.dma));
  Out<CommandToken>* last = &then(graph, runtime, call);
  if (host.alloc) last = &then(graph, *last, graph.add<PinnedAllocation>(name(kAllocation), {}, *host.alloc));
  if (unit == Unit::to_device) last = &then(graph, *last, graph.add<HostCopy>(name(kCopy), {}, host.copy));
  return *last;
}

}  // namespace

ChannelOptions between_host_parts() {
  constexpr Time kLineFromCoreToCore = Time::ns(100);
  return {.depth = 8, .latency_time = kLineFromCoreToCore, .return_latency_time = kLineFromCoreToCore};
}

HostEnds build_host(Graph& graph, const MachinePlan& plan, PinnedMemory& pinned) {
  const HostSpec& host = plan.spec.host;
  const RuntimePorts runtime = add_threads(graph, plan);
  auto& access = graph.add<DeviceAccess>(kDeviceAccess, {}, host.store, host.interrupt);

  const auto connect = [&](Out<CommandToken>& from, In<CommandToken>& to) {
    graph.connect(from, to, between_host_parts());
  };
  auto& units = *runtime.units;
  auto& completions = *runtime.completions;
  connect(add_transfer(graph, plan, pinned, Unit::to_device, units[0]), access.submitted[0]);
  connect(access.completed[0], completions[0]);
  connect(add_transfer(graph, plan, pinned, Unit::to_host, units[1]), access.submitted[1]);
  auto& copy = graph.add<HostCopy>(to_host(kCopy), {}, host.copy);
  connect(then(graph, access.completed[1], copy), completions[1]);
  connect(then(graph, units[2], graph.add<LaunchCall>(kLaunchCall, {}, host.launch)), access.submitted[2]);
  connect(access.completed[2], completions[2]);
  return {.mmio = access.mmio, .messages = access.messages};
}

}  // namespace isthmus::offload::model
