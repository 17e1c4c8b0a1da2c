#include <optional>

#include "isthmus/base/error.hpp"
#include "offload/model/host_copy.hpp"
#include "offload/model/host_parts.hpp"
#include "offload/model/machine.hpp"
#include "offload/model/runtime.hpp"

namespace isthmus::offload::model {
namespace {

/// Connects parts of one host.
struct Connector {
  Graph& graph;
  ChannelOptions options;
  template <class Token>
  void operator()(Out<Token>& from, In<Token>& to) const {
    graph.connect(from, to, options);
  }
};

/// What a transfer of one thread passes before the copy: driver call and allocation.
Out<CommandToken>& add_calls(Graph& graph, const MachinePlan& plan, BoardSide& board, const HostThread& thread,
                             Out<CommandToken>& runtime, MachineActors& actors) {
  const HostSpec& host = needed(plan.board.spec.host);
  const Connector connect{graph, between_host_parts(host)};
  std::optional<Staging> staging;
  if (plan.board.spec.dma) staging.emplace(board.staging());
  auto& call =
      graph.add<TransferCall>(for_thread(kTransferCall, thread), {.group = kHostGroup}, host.transfer, staging);
  connect(runtime, call.in);
  actors.transfer_calls.push_back(graph.id(call));
  if (!host.alloc) return call.out;
  auto& allocation = graph.add<PinnedAllocation>(for_thread(kAllocation, thread), {.group = kHostGroup}, *host.alloc);
  connect(call.out, allocation.in);
  actors.allocations.push_back(graph.id(allocation));
  return allocation.out;
}

}  // namespace

ChannelOptions between_host_parts(const HostSpec& host) {
  return {.depth = 8, .latency_time = host.core_to_core, .return_latency_time = host.core_to_core};
}

ChannelOptions out_of_core(int depth) {
  return {.depth = depth, .latency_time = kHandOver, .return_latency_time = kHandOver};
}

ChannelOptions into_core(const PcieInterface& link, int depth) {
  return {.depth = depth, .latency_time = link.root_complex, .return_latency_time = kHandOver};
}

void build_host(Graph& graph, const MachinePlan& plan, BoardSide& board, Machine& machine) {
  const std::size_t threads = plan.threads.size();
  if (threads == 0) throw Error("a run without host threads: expected at least one");
  const HostSpec& host = needed(plan.board.spec.host);
  const Connector connect{graph, between_host_parts(host)};
  const std::size_t kernels = plan.board.kernels.size();
  auto& runtime = graph.add<Runtime>("runtime", {.group = kHostGroup}, threads, threads + kernels, plan.context.start);
  machine.runtime = &runtime;
  MachineActors& actors = machine.actors;
  for (std::size_t i = 0; i < threads; ++i) {
    const HostThread& body = plan.threads[i];
    auto& thread = graph.add<HostThreadActor>(thread_name(body), {.group = kHostGroup}, body, i, plan.context);
    machine.threads.push_back(&thread);
    actors.threads.push_back(graph.id(thread));
    connect(thread.calls, runtime.calls[i]);
    connect(runtime.replies[i], thread.replies);
    auto& copy = graph.add<HostCopy>(for_thread(kCopy, body), {.group = kHostGroup}, host.copy, plan.board.spec.dma,
                                     board.grain());
    if (host.copy && plan.board.spec.dma) board.attach_core(copy.core);
    if (host.copy) actors.copies.push_back(graph.id(copy));
    connect(add_calls(graph, plan, board, body, runtime.workers[i], actors), copy.in);
    connect(copy.submit, board.submitted(i));
    connect(board.completed(i), copy.arrived);
    connect(copy.out, runtime.completions[i]);
  }
  for (std::size_t kernel = 0; kernel < kernels; ++kernel) {
    const std::size_t worker = threads + kernel;
    auto& launch =
        graph.add<LaunchCall>(of_kernel(plan.board, kernel, kLaunchCall), {.group = kHostGroup}, host.launch);
    actors.launches.push_back(graph.id(launch));
    connect(runtime.workers[worker], launch.in);
    connect(launch.out, board.submitted(worker));
    connect(board.completed(worker), runtime.completions[worker]);
  }
}

}  // namespace isthmus::offload::model
