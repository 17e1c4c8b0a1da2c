#include <array>

#include "isthmus/fabric/axi_port.hpp"
#include "isthmus/fabric/dram.hpp"
#include "offload/model/machine.hpp"

namespace isthmus::offload::model {
namespace {

using fabric::AxiReader;
using fabric::AxiWriter;
using fabric::DramController;

/// From an AXI port to the controller's queue: all of the interconnect's latency, so that a controller knows early what
/// will not come. Only the sum of both ways can be seen from outside.
ChannelOptions requests(const fabric::AxiSpec& axi, Time controller) {
  return {.depth = axi.outstanding, .latency_time = axi.latency + controller, .return_latency_time = axi.beats(1)};
}

ChannelOptions answers(const fabric::AxiSpec& axi, Time controller) {
  return {.depth = axi.outstanding, .latency_time = controller, .return_latency_time = axi.beats(1)};
}

struct Port {
  AxiReader& reader;
  AxiWriter& writer;
  MasterEnds ends() const {
    return {.regions = reader.regions, .data = reader.data, .stores = writer.stores, .written = writer.written};
  }
};

}  // namespace

MemoryEnds build_memory(Graph& graph, const MachineSpec& machine, MemoryMap& memory) {
  const MemorySpec& spec = needed(machine.memory);
  const auto add_port = [&](const fabric::AxiSpec& axi, const std::string& reader, const std::string& writer) {
    return Port{.reader = graph.add<AxiReader>(reader, {.group = kDeviceGroup}, axi, memory.channels()),
                .writer = graph.add<AxiWriter>(writer, {.group = kDeviceGroup}, axi, memory.channels())};
  };
  fabric::AxiSpec dma = spec.axi;
  if (machine.dma) dma.master_rate = machine.dma->rate;
  const std::array ports{add_port(dma, to_host(kDma), to_device(kDma)),
                         add_port(spec.axi, kKernelReads, kKernelWrites)};
  for (std::size_t channel = 0; channel < memory.channels(); ++channel) {
    auto& dram = graph.add<DramController>(dram_name(channel), {.group = kDeviceGroup}, spec.dram,
                                           memory.cells(channel), ports.size());
    for (std::size_t master = 0; master < ports.size(); ++master) {
      const auto& [reader, writer] = ports.at(master);
      graph.connect(reader.requests[channel], dram.reads[master],
                    requests(spec.axi, DramController::request_latency(spec.dram)));
      graph.connect(dram.data[master], reader.answers[channel],
                    answers(spec.axi, DramController::read_latency(spec.dram)));
      graph.connect(writer.writes[channel], dram.writes[master],
                    requests(spec.axi, DramController::request_latency(spec.dram)));
      graph.connect(dram.written[master], writer.answers[channel],
                    answers(spec.axi, DramController::write_latency(spec.dram)));
    }
  }
  return {.dma = ports[0].ends(), .kernel = ports[1].ends()};
}

}  // namespace isthmus::offload::model
