#include "offload/model/machine.hpp"

namespace isthmus::offload::model {
namespace {

/// A clocked part to one without a clock, or the other way: a register at each end.
ChannelOptions register_on(const Clock& clock, int depth) {
  const Time period = Time::seconds(1 / clock.frequency.hertz());
  return {.depth = depth, .latency_time = period, .return_latency_time = period};
}

/// Bursts that wait before and behind the data path: it never stands still for want of room in a stream.
constexpr int kBursts = 4;

/// The DMA engine's data paths are its AXI ports; before and behind them is what it says to the link.
fabric::DmaSend& build_dma(Graph& graph, const MachineSpec& spec, fabric::DmaFetch& fetch, MasterEnds& memory) {
  const Clock& clock = spec.link.user_clock;
  auto& send = graph.add<fabric::DmaSend>(kDmaSend, {.clock = clock, .group = kDeviceGroup});
  graph.connect(fetch.data, memory.stores, register_on(clock, kBursts));
  const int orders = spec.dma.descriptors_in_flight;
  graph.connect(fetch.regions, memory.regions, register_on(clock, orders));
  graph.connect(fetch.orders, send.orders, {.depth = orders + spec.axi.outstanding});
  graph.connect(memory.data, send.data, register_on(clock, kBursts));
  return send;
}

void build_kernel_ports(Graph& graph, const MachineSpec& spec, MasterEnds& memory, KernelPorts& kernel) {
  const Clock& clock = spec.kernel.clock;
  graph.connect(kernel.regions, memory.regions, register_on(clock, kBursts));
  graph.connect(memory.data, kernel.data, register_on(clock, kBursts));
  ChannelOptions results = register_on(clock, kBursts);
  results.latency = 1 + spec.kernel.onchip_latency;
  graph.connect(kernel.stores, memory.stores, results);
  graph.connect(memory.written, kernel.written, register_on(clock, kBursts));
}

}  // namespace

void build_shell(Graph& graph, const MachineSpec& spec, fabric::PcieLink& link, MemoryEnds& memory,
                 KernelPorts& kernel) {
  const Clock& clock = spec.link.user_clock;
  auto& registers = graph.add<fabric::DeviceRegisters>("device registers", {.clock = clock, .group = kDeviceGroup});
  auto& interrupts = graph.add<fabric::DeviceInterrupts>("device interrupts", {.clock = clock, .group = kDeviceGroup});
  auto& fetch = graph.add<fabric::DmaFetch>(kDmaFetch, {.clock = clock, .group = kDeviceGroup}, spec.dma, spec.axi);

  graph.connect(link.device_mmio, registers.in, {.depth = 4});
  graph.connect(registers.dma, fetch.starts);
  graph.connect(registers.kernel, kernel.start, {.depth = 8});
  graph.connect(fetch.requests, link.read_requests, {.depth = 64});
  const auto words = static_cast<int>(spec.dma.read_buffer.count / kWordBytes);
  graph.connect(link.read_data, fetch.words, {.depth = 2 * words});

  fabric::DmaSend& send = build_dma(graph, spec, fetch, memory.dma);
  constexpr int kWrites = fabric::DmaSend::kUnderWay;
  graph.connect(send.writes, link.write_requests, {.depth = kWrites});
  graph.connect(send.words, link.write_data, {.depth = kWrites * static_cast<int>(spec.axi.burst.count / kWordBytes)});
  graph.connect(link.writes_done, send.written, {.depth = kWrites});

  graph.connect(memory.dma.written, interrupts.to_device, register_on(clock, kBursts));
  graph.connect(send.transfers, interrupts.to_host);
  graph.connect(kernel.finished, interrupts.kernel);
  graph.connect(interrupts.out, link.device_messages, {.latency = spec.dma.interrupt});

  build_kernel_ports(graph, spec, memory.kernel, kernel);
}

}  // namespace isthmus::offload::model
