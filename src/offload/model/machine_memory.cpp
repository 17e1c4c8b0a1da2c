#include <fmt/format.h>

#include <array>

#include "isthmus/base/error.hpp"
#include "isthmus/fabric/axi_port.hpp"
#include "isthmus/fabric/dram.hpp"
#include "offload/model/machine.hpp"

namespace isthmus::offload::model {
namespace {

using fabric::AxiReader;
using fabric::AxiWriter;
using fabric::DramController;

constexpr std::size_t kMostChannels = 32;

/// From an AXI port to the controller's queue: all of the interconnect's latency, so that a controller knows early what
/// will not come. Only the sum of both ways can be seen from outside.
ChannelOptions requests(const fabric::AxiSpec& axi, Time controller) {
  return {.depth = axi.outstanding, .latency_time = axi.latency + controller, .return_latency_time = axi.beats(1)};
}

ChannelOptions answers(const fabric::AxiSpec& axi, Time controller) {
  return {.depth = axi.outstanding, .latency_time = controller, .return_latency_time = axi.beats(1)};
}

template <std::size_t Channels>
struct Port {
  AxiReader<Channels>& reader;
  AxiWriter<Channels>& writer;
  MasterEnds ends() const {
    return {.regions = reader.regions, .data = reader.data, .stores = writer.stores, .written = writer.written};
  }
};

template <std::size_t Channels>
Port<Channels> add_port(Graph& graph, const fabric::AxiSpec& axi, const std::string& reader,
                        const std::string& writer) {
  return {.reader = graph.add<AxiReader<Channels>>(reader, {.group = kDeviceGroup}, axi),
          .writer = graph.add<AxiWriter<Channels>>(writer, {.group = kDeviceGroup}, axi)};
}

template <std::size_t Channels>
MemoryEnds add_memory(Graph& graph, const MachineSpec& machine, MemoryMap& memory) {
  if constexpr (Channels < kMostChannels) {
    if (memory.channels() > Channels) return add_memory<Channels + 1>(graph, machine, memory);
  }
  const MemorySpec& spec = needed(machine.memory);
  fabric::AxiSpec dma = spec.axi;
  if (machine.dma) dma.master_rate = machine.dma->rate;
  const std::array<Port<Channels>, DramController::kClients> ports{
      add_port<Channels>(graph, dma, to_host(kDma), to_device(kDma)),
      add_port<Channels>(graph, spec.axi, kKernelReads, kKernelWrites)};
  for (std::size_t channel = 0; channel < Channels; ++channel) {
    auto& dram =
        graph.add<DramController>(dram_name(channel), {.group = kDeviceGroup}, spec.dram, memory.cells(channel));
    for (std::size_t client = 0; client < ports.size(); ++client) {
      const Port<Channels>& port = ports.at(client);
      graph.connect(port.reader.requests[channel], dram.reads[client],
                    requests(spec.axi, DramController::request_latency(spec.dram)));
      graph.connect(dram.data[client], port.reader.answers[channel],
                    answers(spec.axi, DramController::read_latency(spec.dram)));
      graph.connect(port.writer.writes[channel], dram.writes[client],
                    requests(spec.axi, DramController::request_latency(spec.dram)));
      graph.connect(dram.written[client], port.writer.answers[channel],
                    answers(spec.axi, DramController::write_latency(spec.dram)));
    }
  }
  return {.dma = ports[0].ends(), .kernel = ports[1].ends()};
}

}  // namespace

MemoryEnds build_memory(Graph& graph, const MachineSpec& spec, MemoryMap& memory) {
  if (memory.channels() > kMostChannels)
    throw Error(fmt::format("device.dram.kernel_channels: expected 1 to {}, got {}", kMostChannels, memory.channels()));
  return add_memory<1>(graph, spec, memory);
}

}  // namespace isthmus::offload::model
