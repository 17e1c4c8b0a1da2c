#include "offload/model/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "isthmus/fabric/axi_port.hpp"
#include "isthmus/fabric/dram.hpp"
#include "isthmus/platform/link.hpp"

namespace isthmus::offload::model {
namespace {

using platform::PartPlan;

/// A part that works for each host thread by itself.
PartPlan for_threads(const MachinePlan& plan, const char* part, std::vector<std::string> keys) {
  PartPlan all{.name = part, .keys = std::move(keys)};
  all.actors.reserve(plan.threads.size());
  for (const HostThread& thread : plan.threads) all.actors.push_back(for_thread(part, thread));
  return all;
}

/// A part that each kernel has by itself.
std::vector<std::string> of_kernels(const MachinePlan& plan, const char* part) {
  std::vector<std::string> names;
  for (std::size_t kernel = 0; kernel < plan.kernels.size(); ++kernel) names.push_back(of_kernel(plan, kernel, part));
  return names;
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
  if (!plan.kernels.empty())
    parts.push_back({.name = kLaunchCall, .keys = {"kernel.launch"}, .actors = of_kernels(plan, kLaunchCall)});
  parts.push_back({.name = kDeviceAccess, .keys = {"host.mmio.store", "hypervisor.cost"}, .actors = {kDeviceAccess}});
  return parts;
}

/// An actor's entries.
std::string entries(const std::string& actor, const char* of) {
  return fmt::format("{}: {}", actor, of);
}

PartPlan bursts(const char* name, const std::vector<std::string>& ports) {
  PartPlan part{
      .name = name,
      .keys = {"device.axi.outstanding", "device.axi.burst", "device.axi.latency", "device.dram.idle_latency"},
      .counts = "bursts"};
  for (const std::string& port : ports) part.occupancies.push_back(entries(port, fabric::kAxiBursts));
  return part;
}

std::vector<PartPlan> dma_parts() {
  return {{.name = "DMA descriptors",
           .keys = {"dma.descriptors_in_flight", "dma.descriptor_payload", "link.pcie.round_trip"},
           .occupancies = {entries(kDmaFetch, fabric::kDescriptorsToDevice),
                           entries(kDmaFetch, fabric::kDescriptorsToHost)},
           .counts = "descriptors"},
          {.name = "DMA read buffer",
           .keys = {"link.pcie.tags", "link.pcie.max_read_request", "link.pcie.round_trip"},
           .occupancies = {entries(kDmaFetch, fabric::kReadBuffer)},
           .counts = "words of 64 B"},
          {.name = "DMA engine's words", .keys = {"link.pcie.user_clock"}, .actors = {kDmaFetch, kDmaSend}},
          {.name = kDma, .keys = {"dma.rate"}, .actors = {to_device(kDma), to_host(kDma)}},
          bursts("DMA engine's AXI bursts", {to_host(kDma), to_device(kDma)})};
}

std::vector<PartPlan> dram_parts(const MachinePlan& plan) {
  PartPlan cells{.name = kDram,
                 .keys = {"device.dram.kernel_channels", "device.dram.transfer_rate", "device.dram.data_width",
                          "device.dram.burst_length", "device.dram.tCCD_S", "device.dram.tCCD_L"}};
  PartPlan queue{.name = "device DRAM's queue", .keys = {"device.dram.queue_depth"}, .counts = "bursts"};
  for (std::size_t i = 0; i < plan.memory.channels(); ++i) {
    cells.actors.push_back(platform::dram_name(i));
    for (const char* waiting : {fabric::kWaitingReads, fabric::kWaitingWrites})
      queue.occupancies.push_back(entries(platform::dram_name(i), waiting));
  }
  return {queue, cells};
}

std::vector<PartPlan> kernel_parts(const KernelNames& names) {
  if (names.pipelines.empty()) return {};
  std::vector<PartPlan> parts;
  if (!names.reads.empty()) {
    std::vector<std::string> ports = names.reads;
    ports.insert(ports.end(), names.writes.begin(), names.writes.end());
    parts = {bursts("kernel's AXI bursts", ports),
             {.name = kKernelPorts, .keys = {"device.axi.clock", "device.axi.data_width"}, .actors = std::move(ports)}};
  }
  parts.push_back({.name = kKernel, .keys = {"kernel.clock"}, .actors = names.pipelines});
  return parts;
}

}  // namespace

std::string thread_name(const HostThread& thread) {
  return fmt::format("host thread '{}'", thread.name);
}
std::string for_thread(const char* part, const HostThread& thread) {
  return fmt::format("{} of '{}'", part, thread.name);
}
std::string of_kernel(const MachinePlan& plan, std::size_t kernel, const std::string& name) {
  return plan.kernels.size() == 1 ? name : fmt::format("{} of '{}'", name, plan.kernels[kernel]->name);
}
std::string to_device(const std::string& part) {
  return part + ", to device";
}
std::string to_host(const std::string& part) {
  return part + ", to host";
}

Machine build_machine(Graph& graph, const MachinePlan& plan) {
  Machine machine;
  platform::Board board(graph, plan.spec.board, plan.memory);
  const bool linked = !board.links().empty();
  HostEnds host = build_host(graph, plan, linked ? &board.links().front().host.memory() : nullptr, machine);
  machine.kernels = build_shell(graph, plan, board, host);

  std::vector<PartPlan>& parts = machine.parts;
  parts = host_parts(plan);
  if (linked) {
    append(parts, platform::parts_of_reads());
    append(parts, platform::parts_of_writes());
  }
  if (plan.spec.dma) append(parts, dma_parts());
  if (board.masters() > 0) append(parts, dram_parts(plan));
  append(parts, kernel_parts(machine.kernels));
  return machine;
}

}  // namespace isthmus::offload::model
