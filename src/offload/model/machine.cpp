#include "offload/model/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace isthmus::offload::model {
namespace {

/// An FPGA without a kernel: its ports do nothing.
struct NoKernel : KernelPorts {
  void step() { start.read(); }
  bool done() const { return false; }
};

KernelPorts& add_kernel(Graph& graph, const MachinePlan& plan) {
  if (plan.kernel != nullptr) return plan.kernel->add(graph, kKernel, plan.spec.kernel);
  return graph.add<NoKernel>("no kernel", {.clock = plan.spec.kernel.clock});
}

std::vector<std::string> both(const char* part) {
  return {to_device(part), to_host(part)};
}

/// A part that works for each host thread by itself.
PartOfMachine for_threads(const MachinePlan& plan, const char* part, const char* resource) {
  PartOfMachine all{part, resource, {}};
  all.actors.reserve(plan.threads.size());
  for (const HostThread& thread : plan.threads) all.actors.push_back(for_thread(part, thread));
  return all;
}

std::vector<PartOfMachine> host_parts(const MachinePlan& plan) {
  std::vector<PartOfMachine> parts;
  std::ranges::transform(plan.threads, std::back_inserter(parts), [](const HostThread& thread) -> PartOfMachine {
    return {thread_name(thread), "host.call.enqueue, host.call.wake", {thread_name(thread)}};
  });
  parts.push_back(for_threads(plan, kTransferCall, "host.call.transfer"));
  if (plan.spec.host.alloc) parts.push_back(for_threads(plan, kAllocation, "host.alloc.rate, host.alloc.call"));
  if (plan.spec.host.copy) parts.push_back(for_threads(plan, kCopy, "host.copy.rate"));
  parts.push_back({kLaunchCall, "kernel.launch", {kLaunchCall}});
  parts.push_back({kDeviceAccess, "host.mmio.store, hypervisor.cost", {kDeviceAccess}});
  return parts;
}

std::vector<PartOfMachine> device_parts(const MachinePlan& plan) {
  std::vector<std::string> channels;
  for (std::size_t i = 0; i < plan.memory.channels(); ++i) channels.push_back(dram_name(i));
  std::vector<PartOfMachine> parts{
      {fabric::kHostMemory, "host.memory.transfer_rate", {fabric::kHostMemory}},
      {fabric::kHostToDevice, "link.pcie.lanes, link.pcie.max_payload", {fabric::kHostToDevice}},
      {fabric::kDeviceToHost, "link.pcie.lanes, link.pcie.max_payload", {fabric::kDeviceToHost}},
      {kDma, "dma.rate", both(kDma)},
      {kDram, "device.dram.kernel_channels, device.dram.transfer_rate", channels}};
  if (plan.kernel == nullptr) return parts;
  parts.push_back({kKernelPorts, "device.axi.clock, device.axi.data_width", {kKernelReads, kKernelWrites}});
  parts.push_back({kKernel, "kernel.clock", {kKernel}});
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

std::vector<PartOfMachine> build_machine(Graph& graph, const MachinePlan& plan) {
  const MachineSpec& spec = plan.spec;
  fabric::PcieLink link = fabric::add_pcie_link(graph, spec.link, spec.memory);
  const HostEnds host = build_host(graph, plan, link.host.memory());
  MemoryEnds memory = build_memory(graph, spec, plan.memory);
  KernelPorts& kernel = add_kernel(graph, plan);
  build_shell(graph, spec, link, memory, kernel);
  graph.connect(host.mmio, link.mmio, between_host_parts());
  graph.connect(link.host_messages, host.messages, between_host_parts());

  std::vector<PartOfMachine> parts = host_parts(plan);
  for (PartOfMachine& part : device_parts(plan)) parts.push_back(std::move(part));
  return parts;
}

}  // namespace isthmus::offload::model
