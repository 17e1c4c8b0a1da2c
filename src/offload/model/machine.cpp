#include "offload/model/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "isthmus/fabric/axi_port.hpp"
#include "isthmus/fabric/dram.hpp"
#include "isthmus/platform/link.hpp"

namespace isthmus::offload::model {
namespace {

using platform::append;
using platform::PartPlan;

/// What sets the pace of copies, or how they take turns with the wire.
std::vector<std::string> copy_keys(const HostSpec& host) {
  std::vector<std::string> keys{"host.copy.rate"};
  if (host.copy && host.copy->fits > 0) keys.emplace_back("host.copy.cached_rate");
  if (host.chunk) keys.emplace_back("host.runtime.chunk");
  return keys;
}

std::vector<PartPlan> transfer_parts(const HostSpec& host, const MachineActors& actors) {
  std::vector<PartPlan> parts{
      {.name = kTransferCall, .keys = {"host.call.transfer"}, .actors = actors[Role::transfer_calls]}};
  if (!actors[Role::allocations].empty())
    parts.push_back(
        {.name = kAllocation, .keys = {"host.alloc.rate", "host.alloc.call"}, .actors = actors[Role::allocations]});
  if (!actors[Role::copies].empty())
    parts.push_back({.name = kCopy, .keys = copy_keys(host), .actors = actors[Role::copies]});
  return parts;
}

std::vector<PartPlan> host_parts(const MachinePlan& plan, const MachineActors& actors) {
  std::vector<PartPlan> parts;
  parts.reserve(plan.threads.size());
  for (std::size_t i = 0; i < plan.threads.size(); ++i)
    parts.push_back({.name = thread_name(plan.threads[i]),
                     .keys = {"host.call.enqueue", "host.call.wake"},
                     .actors = {actors[Role::threads][i]}});
  if (!plan.board.spec.engines.empty()) append(parts, transfer_parts(needed(plan.board.spec.host), actors));
  if (!actors[Role::launches].empty())
    parts.push_back({.name = kLaunchCall, .keys = {"kernel.launch"}, .actors = actors[Role::launches]});
  return parts;
}

/// What each of `actors` hands out under each of the names.
std::vector<platform::Entries> entries(const Actors& actors, std::initializer_list<const char*> names) {
  std::vector<platform::Entries> all;
  for (const ActorId actor : actors)
    for (const char* of : names) all.push_back({.actor = actor, .of = of});
  return all;
}

Actors both(const Actors& some, const Actors& others) {
  Actors all = some;
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

PartPlan bursts(const char* name, const Actors& ports) {
  return {.name = name,
          .keys = {"device.axi.outstanding", "device.axi.burst", "device.axi.latency", "device.dram.idle_latency"},
          .occupancies = entries(ports, {fabric::kAxiBursts}),
          .counts = "bursts"};
}

/// The parts of one engine.
std::vector<PartPlan> dma_parts(const MachineActors& actors, std::size_t engine) {
  const Actors fetch{actors[Role::dma_fetches][engine]};
  const Actors ports{actors[Role::dma_to_host][engine], actors[Role::dma_to_device][engine]};
  return {{.name = "DMA descriptors",
           .keys = {"dma.descriptors_in_flight", "dma.descriptor_payload", "link.pcie.round_trip"},
           .occupancies = entries(fetch, {fabric::kDescriptorsToDevice, fabric::kDescriptorsToHost}),
           .counts = "descriptors"},
          {.name = "DMA read buffer",
           .keys = {"link.pcie.tags", "link.pcie.max_read_request", "link.pcie.round_trip"},
           .occupancies = entries(fetch, {fabric::kReadBuffer}),
           .counts = "words of 64 B"},
          {.name = "DMA engine's words",
           .keys = {"link.pcie.user_clock"},
           .actors = both(fetch, {actors[Role::dma_sends][engine]})},
          {.name = kDma, .keys = {"dma.rate"}, .actors = {ports[1], ports[0]}},
          bursts("DMA engine's AXI bursts", ports)};
}

/// The accesses that kernels wait for, one at a time; none where no kernel does.
std::vector<PartPlan> access_parts(const Loaded& loaded, const MachineActors& actors) {
  std::vector<platform::Entries> waiting;
  for (std::size_t kernel = 0; kernel < loaded.kernels.size(); ++kernel)
    if (loaded.kernels[kernel]->one_access)
      waiting.push_back({.actor = actors[Role::kernels][kernel], .of = kKernelAccesses});
  if (waiting.empty()) return {};
  return {{.name = "kernel's access to memory",
           .keys = {"device.axi.latency", "device.dram.idle_latency"},
           .occupancies = std::move(waiting),
           .counts = "accesses"}};
}

std::vector<PartPlan> kernel_parts(const Loaded& loaded, const MachineActors& actors) {
  if (actors[Role::kernels].empty()) return {};
  std::vector<PartPlan> parts;
  const Actors ports = both(actors[Role::kernel_reads], actors[Role::kernel_writes]);
  if (!ports.empty())
    parts = {bursts("kernel's AXI bursts", ports),
             {.name = kKernelPorts, .keys = {"device.axi.clock", "device.axi.data_width"}, .actors = ports}};
  append(parts, access_parts(loaded, actors));
  parts.push_back({.name = kKernel, .keys = {"kernel.clock"}, .actors = actors[Role::kernels]});
  return parts;
}

std::vector<PartPlan> device_parts(const Loaded& loaded, platform::Board& board, const MachineActors& actors) {
  std::vector<PartPlan> parts{
      {.name = kDeviceAccess, .keys = {"host.mmio.store", "hypervisor.cost"}, .actors = actors[Role::access]}};
  std::vector<platform::ToldLink> links;
  for (const fabric::PcieLink& link : board.links())
    links.push_back({.link = link, .channel = platform::scope_of_link(loaded.spec.board, links.size())});
  if (!links.empty()) {
    append(parts, platform::parts_of_reads(links));
    append(parts, platform::parts_of_writes(links));
  }
  for (std::size_t engine = 0; engine < loaded.spec.engines.size(); ++engine)
    append(parts, platform::of_link(dma_parts(actors, engine), links[engine].channel));
  if (!actors[Role::dram].empty()) append(parts, platform::parts_of_memory(actors[Role::dram]));
  append(parts, kernel_parts(loaded, actors));
  return parts;
}

/// A board whose every packet and burst is modelled.
class WholeBoard final : public BoardSide {
 public:
  WholeBoard(const MachineSpec& spec, platform::Board& board, DeviceAccess& access)
      : spec_(spec), board_(board), access_(access) {}
  In<CommandToken>& submitted(std::size_t worker) override { return access_.submitted[worker]; }
  Out<CommandToken>& completed(std::size_t worker) override { return access_.completed[worker]; }
  platform::Grain grain() const override { return platform::Grain::fine; }
  void attach_core(CopyingCore& core) override { board_.attach_core(core.moves[0], core.moved[0]); }
  Staging staging() override {
    return {board_.links().front().memory, spec_.engines.front(), needed(spec_.host).chunk};
  }

 private:
  const MachineSpec& spec_;
  platform::Board& board_;
  DeviceAccess& access_;
};

}  // namespace

std::string thread_name(const HostThread& thread) {
  return fmt::format("host thread '{}'", thread.name);
}
std::string for_thread(const char* part, const HostThread& thread) {
  return fmt::format("{} of '{}'", part, thread.name);
}
std::string of_kernel(const Loaded& loaded, std::size_t kernel, const std::string& name) {
  return loaded.kernels.size() == 1 ? name : fmt::format("{} of '{}'", name, loaded.kernels[kernel]->name);
}
std::string to_device(const std::string& part) {
  return part + ", to device";
}
std::string to_host(const std::string& part) {
  return part + ", to host";
}

Workers workers_of(const MachineSpec& spec, std::size_t threads, std::size_t kernels) {
  return {threads, kernels, std::max<std::size_t>(1, spec.engines.size())};
}

int copying_cores(const MachineSpec& spec, std::size_t threads) {
  const bool copies = !spec.engines.empty() && needed(spec.host).copy;
  return copies ? static_cast<int>(threads * spec.engines.size()) : 0;
}

std::unique_ptr<BoardSide> build_board(Graph& graph, const Loaded& loaded, platform::Board& board, std::size_t workers,
                                       Machine& machine) {
  const DeviceAccess::Costs costs{.store = needed(loaded.spec.registers).store,
                                  .interrupt = needed(loaded.spec.host).interrupt};
  auto& access =
      graph.add<DeviceAccess>(kDeviceAccess, {.group = kHostGroup}, workers, loaded.spec.ways(), loaded.units(), costs);
  machine.actors[Role::access] = {graph.id(access)};
  build_shell(graph, loaded, board, access, machine);
  machine.actors[Role::dram] = board.dram();
  for (const fabric::PcieLink& link : board.links()) machine.links.push_back(link.actors);
  append(machine.parts, device_parts(loaded, board, machine.actors));
  return std::make_unique<WholeBoard>(loaded.spec, board, access);
}

Machine build_machine(Graph& graph, const MachinePlan& plan) {
  Machine machine;
  const MachineSpec& spec = plan.board.spec;
  const int cores = copying_cores(spec, plan.threads.size());
  platform::Board board = plan.host != nullptr ? platform::Board(graph, spec.board, plan.board.memory, *plan.host)
                                               : platform::Board(graph, spec.board, plan.board.memory, cores);
  const Workers workers = workers_of(spec, plan.threads.size(), plan.board.kernels.size());
  const auto side = build_board(graph, plan.board, board, workers.count(), machine);
  build_host(graph, plan, *side, machine);
  arrange_parts(plan, machine);
  return machine;
}

void arrange_parts(const MachinePlan& plan, Machine& machine) {
  std::vector<PartPlan> parts = host_parts(plan, machine.actors);
  append(parts, std::exchange(machine.parts, {}));
  machine.parts = std::move(parts);
}

void move_ids(Machine& machine, std::size_t by) {
  const auto move = [by](ActorId& id) { id.place += by; };
  machine.actors.visit(move);
  for (PartPlan& part : machine.parts) {
    std::ranges::for_each(part.actors, move);
    for (platform::Entries& entries : part.occupancies) move(entries.actor);
  }
  for (fabric::PcieLinkActors& link : machine.links) link.visit(move);
}

}  // namespace isthmus::offload::model
