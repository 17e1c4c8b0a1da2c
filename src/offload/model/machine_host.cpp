#include <optional>

#include "isthmus/base/error.hpp"
#include "offload/model/host_copy.hpp"
#include "offload/model/host_parts.hpp"
#include "offload/model/machine.hpp"
#include "offload/model/registers.hpp"
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

/// Adds host software to a graph: threads, the runtime, and what transfers and launches pass.
class HostBuilder {
 public:
  HostBuilder(Graph& graph, const MachinePlan& plan, BoardSide& board, Machine& machine)
      : graph_(graph),
        plan_(plan),
        spec_(plan.board.spec),
        host_(needed(spec_.host)),
        board_(board),
        machine_(machine),
        actors_(machine.actors),
        workers_(workers_of(spec_, plan.threads.size(), plan.board.kernels.size())),
        connect_{graph, between_host_parts(host_)},
        runtime_(graph.add<Runtime>("runtime", {.group = kHostGroup}, workers_, LinkLoads(rates_of_links(spec_)),
                                    plan.board.units(), plan.context.start)) {
    machine.runtime = &runtime_;
  }

  void build() {
    for (std::size_t thread = 0; thread < workers_.threads(); ++thread) {
      add_thread(thread);
      for (std::size_t link = 0; link < workers_.links(); ++link) add_transfers(thread, link);
    }
    for (std::size_t kernel = 0; kernel < workers_.kernels(); ++kernel) add_launches(kernel);
  }

 private:
  void add_thread(std::size_t index) {
    const HostThread& body = plan_.threads[index];
    auto& thread = graph_.add<HostThreadActor>(thread_name(body), {.group = kHostGroup}, body, index, plan_.context);
    machine_.threads.push_back(&thread);
    if (plan_.context.surrounded) machine_.ends.push_back({.tells = thread.tells[0], .told = thread.told[0]});
    actors_[Role::threads].push_back(graph_.id(thread));
    connect_(thread.calls, runtime_.calls[index]);
    connect_(runtime_.replies[index], thread.replies);
  }

  /// The thread's worker for its transfers over a link.
  void add_transfers(std::size_t index, std::size_t link) {
    const Scope scope = graph_.scope(engine() ? platform::scope_of_link(spec_.board, link) : "");
    const HostThread& thread = plan_.threads[index];
    const std::size_t worker = workers_.of_transfers(index, link);
    auto& copy =
        graph_.add<HostCopy>(for_thread(kCopy, thread), {.group = kHostGroup}, host_.copy, engine(), board_.grain());
    if (host_.copy && engine()) board_.attach_core(copy.core);
    if (host_.copy) actors_[Role::copies].push_back(graph_.id(copy));
    connect_(add_calls(thread, runtime_.workers[worker]), copy.in);
    connect_(copy.submit, board_.submitted(worker));
    connect_(board_.completed(worker), copy.arrived);
    connect_(copy.out, runtime_.completions[worker]);
  }

  /// What a transfer of one thread passes before the copy: driver call and allocation.
  Out<CommandToken>& add_calls(const HostThread& thread, Out<CommandToken>& runtime) {
    std::optional<Staging> staging;
    if (engine()) staging.emplace(board_.staging());
    auto& call =
        graph_.add<TransferCall>(for_thread(kTransferCall, thread), {.group = kHostGroup}, host_.transfer, staging);
    connect_(runtime, call.in);
    actors_[Role::transfer_calls].push_back(graph_.id(call));
    if (!host_.alloc) return call.out;
    auto& allocation =
        graph_.add<PinnedAllocation>(for_thread(kAllocation, thread), {.group = kHostGroup}, *host_.alloc);
    connect_(call.out, allocation.in);
    actors_[Role::allocations].push_back(graph_.id(allocation));
    return allocation.out;
  }

  void add_launches(std::size_t kernel) {
    const std::size_t worker = workers_.of_launches(kernel);
    auto& launch =
        graph_.add<LaunchCall>(of_kernel(plan_.board, kernel, kLaunchCall), {.group = kHostGroup}, host_.launch);
    actors_[Role::launches].push_back(graph_.id(launch));
    connect_(runtime_.workers[worker], launch.in);
    connect_(launch.out, board_.submitted(worker));
    connect_(board_.completed(worker), runtime_.completions[worker]);
  }

  /// Descriptors are alike on all links.
  std::optional<fabric::DmaSpec> engine() const {
    return spec_.engines.empty() ? std::nullopt : std::optional(spec_.engines.front());
  }

  Graph& graph_;
  const MachinePlan& plan_;
  const MachineSpec& spec_;
  const HostSpec& host_;
  BoardSide& board_;
  Machine& machine_;
  MachineActors& actors_;
  Workers workers_;
  Connector connect_;
  Runtime& runtime_;
};

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
  if (plan.threads.empty()) throw Error("a run without host threads: expected at least one");
  HostBuilder(graph, plan, board, machine).build();
}

}  // namespace isthmus::offload::model
