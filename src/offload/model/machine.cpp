#include "offload/model/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "isthmus/fabric/axi_port.hpp"
#include "isthmus/fabric/dram.hpp"
#include "isthmus/platform/link.hpp"

namespace isthmus::offload::model {
namespace {

using platform::PartPlan;

/// An FPGA without a kernel: its ports do nothing.
struct NoKernel : KernelPorts {
  void step() { start.read(); }
  bool done() const { return false; }
};

KernelPorts& add_kernel(Graph& graph, const MachinePlan& plan) {
  if (plan.kernel != nullptr) return plan.kernel->add(graph, kKernel, needed(plan.spec.kernel));
  const Clock clock = plan.spec.kernel ? plan.spec.kernel->clock : needed(plan.spec.shell_clock());
  return graph.add<NoKernel>("no kernel", {.clock = clock, .group = kDeviceGroup});
}

/// A part that works for each host thread by itself.
NamedPlan for_threads(const MachinePlan& plan, const char* part, std::vector<std::string> keys) {
  NamedPlan all{.name = part, .keys = std::move(keys)};
  all.actors.reserve(plan.threads.size());
  for (const HostThread& thread : plan.threads) all.actors.push_back(for_thread(part, thread));
  return all;
}

template <class Plan>
void append(std::vector<Plan>& to, std::vector<Plan> plans) {
  to.insert(to.end(), std::make_move_iterator(plans.begin()), std::make_move_iterator(plans.end()));
}

std::vector<NamedPlan> transfer_parts(const MachinePlan& plan) {
  const HostSpec& host = needed(plan.spec.host);
  std::vector<NamedPlan> parts{for_threads(plan, kTransferCall, {"host.call.transfer"})};
  if (host.alloc) parts.push_back(for_threads(plan, kAllocation, {"host.alloc.rate", "host.alloc.call"}));
  if (host.copy) parts.push_back(for_threads(plan, kCopy, {"host.copy.rate"}));
  return parts;
}

std::vector<NamedPlan> host_parts(const MachinePlan& plan) {
  std::vector<NamedPlan> parts;
  std::ranges::transform(plan.threads, std::back_inserter(parts), [](const HostThread& thread) -> NamedPlan {
    return {
        .name = thread_name(thread), .keys = {"host.call.enqueue", "host.call.wake"}, .actors = {thread_name(thread)}};
  });
  if (plan.spec.dma) append(parts, transfer_parts(plan));
  parts.push_back({.name = kLaunchCall, .keys = {"kernel.launch"}, .actors = {kLaunchCall}});
  parts.push_back({.name = kDeviceAccess, .keys = {"host.mmio.store", "hypervisor.cost"}, .actors = {kDeviceAccess}});
  return parts;
}

/// What is in both directions of the DMA engine, or of the kernel's ports.
std::vector<std::string> both(const char* first, const char* of_first, const char* second, const char* of_second) {
  return {fmt::format("{}: {}", first, of_first), fmt::format("{}: {}", second, of_second)};
}

NamedPlan bursts(const char* name, const std::string& reads, const std::string& writes) {
  return {.name = name,
          .keys = {"device.axi.outstanding", "device.axi.burst", "device.axi.latency", "device.dram.idle_latency"},
          .occupancies = both(reads.c_str(), fabric::kAxiBursts, writes.c_str(), fabric::kAxiBursts),
          .counts = "bursts"};
}

std::vector<NamedPlan> dma_parts() {
  return {{.name = "DMA descriptors",
           .keys = {"dma.descriptors_in_flight", "dma.descriptor_payload", "link.pcie.round_trip"},
           .occupancies = both(kDmaFetch, fabric::kDescriptorsToDevice, kDmaFetch, fabric::kDescriptorsToHost),
           .counts = "descriptors"},
          {.name = "DMA read buffer",
           .keys = {"link.pcie.tags", "link.pcie.max_read_request", "link.pcie.round_trip"},
           .occupancies = {fmt::format("{}: {}", kDmaFetch, fabric::kReadBuffer)},
           .counts = "words of 64 B"},
          {.name = "DMA engine's words", .keys = {"link.pcie.user_clock"}, .actors = {kDmaFetch, kDmaSend}},
          {.name = kDma, .keys = {"dma.rate"}, .actors = {to_device(kDma), to_host(kDma)}},
          bursts("DMA engine's AXI bursts", to_host(kDma), to_device(kDma))};
}

std::vector<NamedPlan> dram_parts(const MachinePlan& plan) {
  NamedPlan cells{.name = kDram,
                  .keys = {"device.dram.kernel_channels", "device.dram.transfer_rate", "device.dram.data_width",
                           "device.dram.burst_length", "device.dram.tCCD_S", "device.dram.tCCD_L"}};
  NamedPlan queue{.name = "device DRAM's queue", .keys = {"device.dram.queue_depth"}, .counts = "bursts"};
  for (std::size_t i = 0; i < plan.memory.channels(); ++i) {
    cells.actors.push_back(dram_name(i));
    for (const char* waiting : {fabric::kWaitingReads, fabric::kWaitingWrites})
      queue.occupancies.push_back(fmt::format("{}: {}", dram_name(i), waiting));
  }
  return {queue, cells};
}

std::vector<NamedPlan> kernel_parts(const MachinePlan& plan) {
  if (plan.kernel == nullptr) return {};
  std::vector<NamedPlan> parts;
  if (plan.spec.memory)
    parts = {bursts("kernel's AXI bursts", kKernelReads, kKernelWrites),
             {.name = kKernelPorts,
              .keys = {"device.axi.clock", "device.axi.data_width"},
              .actors = {kKernelReads, kKernelWrites}}};
  parts.push_back({.name = kKernel, .keys = {"kernel.clock"}, .actors = {kKernel}});
  return parts;
}

PartPlan found(const NamedPlan& plan, const RunReport& report) {
  PartPlan part{.name = plan.name, .keys = plan.keys, .counts = plan.counts};
  for (const std::string& actor : plan.actors) part.actors.push_back(report.actor(actor).id);
  for (const std::string& entries : plan.occupancies) {
    const OccupancyReport& occupancy = report.occupancy(entries);
    part.occupancies.push_back({occupancy.actor, occupancy.of});
  }
  return part;
}

}  // namespace

std::string thread_name(const HostThread& thread) {
  return fmt::format("host thread '{}'", thread.name);
}
std::string for_thread(const char* part, const HostThread& thread) {
  return fmt::format("{} of '{}'", part, thread.name);
}
std::string dram_name(std::size_t channel) {
  return fmt::format("{} channel {}", kDram, channel);
}
std::string to_device(const std::string& part) {
  return part + ", to device";
}
std::string to_host(const std::string& part) {
  return part + ", to host";
}

std::vector<PartPlan> MachineParts::in(const RunReport& report) const {
  std::vector<PartPlan> parts;
  for (const NamedPlan& plan : host) parts.push_back(found(plan, report));
  append(parts, link);
  for (const NamedPlan& plan : device) parts.push_back(found(plan, report));
  return parts;
}

MachineParts build_machine(Graph& graph, const MachinePlan& plan) {
  const MachineSpec& spec = plan.spec;
  std::optional<fabric::PcieLink> link;
  if (spec.link) link.emplace(fabric::add_pcie_link(graph, spec.link->pcie, spec.link->memory));
  std::optional<MemoryEnds> memory;
  if (spec.memory) memory.emplace(build_memory(graph, spec, plan.memory));
  HostEnds host = build_host(graph, plan, link ? &link->host.memory() : nullptr);
  build_shell(graph, spec,
              {.link = link ? &*link : nullptr,
               .memory = memory ? &*memory : nullptr,
               .kernel = add_kernel(graph, plan),
               .host = host});

  MachineParts parts{.host = host_parts(plan), .link = {}, .device = {}};
  if (link) {
    append(parts.link, platform::parts_of_reads(*link));
    append(parts.link, platform::parts_of_writes(*link));
  }
  if (spec.dma) append(parts.device, dma_parts());
  if (memory) append(parts.device, dram_parts(plan));
  append(parts.device, kernel_parts(plan));
  return parts;
}

}  // namespace isthmus::offload::model
