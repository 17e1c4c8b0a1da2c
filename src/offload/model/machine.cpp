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
PartPlan for_threads(const MachinePlan& plan, const char* part, std::vector<std::string> keys) {
  PartPlan all{.name = part, .keys = std::move(keys)};
  all.actors.reserve(plan.threads.size());
  for (const HostThread& thread : plan.threads) all.actors.push_back(for_thread(part, thread));
  return all;
}

void append(std::vector<PartPlan>& to, std::vector<PartPlan> plans) {
  to.insert(to.end(), std::make_move_iterator(plans.begin()), std::make_move_iterator(plans.end()));
}

std::vector<PartPlan> transfer_parts(const MachinePlan& plan) {
  const HostSpec& host = needed(plan.spec.host);
  std::vector<PartPlan> parts{for_threads(plan, kTransferCall, {"host.call.transfer"})};
  if (host.alloc) parts.push_back(for_threads(plan, kAllocation, {"host.alloc.rate", "host.alloc.call"}));
  if (host.copy) parts.push_back(for_threads(plan, kCopy, {"host.copy.rate"}));
  return parts;
}

std::vector<PartPlan> host_parts(const MachinePlan& plan) {
  std::vector<PartPlan> parts;
  std::ranges::transform(plan.threads, std::back_inserter(parts), [](const HostThread& thread) -> PartPlan {
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

PartPlan bursts(const char* name, const std::string& reads, const std::string& writes) {
  return {.name = name,
          .keys = {"device.axi.outstanding", "device.axi.burst", "device.axi.latency", "device.dram.idle_latency"},
          .occupancies = both(reads.c_str(), fabric::kAxiBursts, writes.c_str(), fabric::kAxiBursts),
          .counts = "bursts"};
}

std::vector<PartPlan> dma_parts() {
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

std::vector<PartPlan> dram_parts(const MachinePlan& plan) {
  PartPlan cells{.name = kDram,
                 .keys = {"device.dram.kernel_channels", "device.dram.transfer_rate", "device.dram.data_width",
                          "device.dram.burst_length", "device.dram.tCCD_S", "device.dram.tCCD_L"}};
  PartPlan queue{.name = "device DRAM's queue", .keys = {"device.dram.queue_depth"}, .counts = "bursts"};
  for (std::size_t i = 0; i < plan.memory.channels(); ++i) {
    cells.actors.push_back(dram_name(i));
    for (const char* waiting : {fabric::kWaitingReads, fabric::kWaitingWrites})
      queue.occupancies.push_back(fmt::format("{}: {}", dram_name(i), waiting));
  }
  return {queue, cells};
}

std::vector<PartPlan> kernel_parts(const MachinePlan& plan) {
  if (plan.kernel == nullptr) return {};
  std::vector<PartPlan> parts;
  if (plan.spec.memory)
    parts = {bursts("kernel's AXI bursts", kKernelReads, kKernelWrites),
             {.name = kKernelPorts,
              .keys = {"device.axi.clock", "device.axi.data_width"},
              .actors = {kKernelReads, kKernelWrites}}};
  parts.push_back({.name = kKernel, .keys = {"kernel.clock"}, .actors = {kKernel}});
  return parts;
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

std::vector<PartPlan> build_machine(Graph& graph, const MachinePlan& plan) {
  const MachineSpec& spec = plan.spec;
  std::optional<fabric::PcieLink> link;
  if (spec.link) link.emplace(fabric::add_pcie_link(graph, spec.link->pcie, spec.link->memory));
  std::optional<MemoryEnds> memory;
  if (spec.memory) memory.emplace(build_memory(graph, spec, plan.memory));
  HostEnds host = build_host(graph, plan, link ? &link->memory : nullptr);
  build_shell(graph, spec,
              {.link = link ? &*link : nullptr,
               .memory = memory ? &*memory : nullptr,
               .kernel = add_kernel(graph, plan),
               .host = host});

  std::vector<PartPlan> parts = host_parts(plan);
  if (link) {
    append(parts, platform::parts_of_reads(needed(spec.link)));
    append(parts, platform::parts_of_writes());
  }
  if (spec.dma) append(parts, dma_parts());
  if (memory) append(parts, dram_parts(plan));
  append(parts, kernel_parts(plan));
  return parts;
}

}  // namespace isthmus::offload::model
