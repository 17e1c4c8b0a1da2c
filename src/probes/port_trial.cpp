#include "probes/port_trial.hpp"

#include <span>

#include "probes/port_mover.hpp"

namespace isthmus::probes {
namespace {

PortMover& add_circuit(Graph& graph, const platform::MasterEnds& ends, const fabric::AxiSpec& axi,
                       const PortTrial& trial) {
  const Clock clock{.frequency = axi.clock};
  auto& circuit = graph.add<PortMover>("circuit", {.clock = clock},
                                       PortMove{.address = trial.address,
                                                .bytes = trial.bytes,
                                                .burst = static_cast<std::uint64_t>(axi.burst.count),
                                                .to_fpga = trial.to_fpga,
                                                .writer = trial.to_fpga ? kCpu : kFpga});
  const ChannelOptions bursts = platform::register_on(clock, platform::kBursts);
  graph.connect(circuit.regions, ends.regions, bursts);
  graph.connect(ends.data, circuit.data, bursts);
  graph.connect(circuit.stores, ends.stores, bursts);
  graph.connect(ends.written, circuit.written, bursts);
  return circuit;
}

}  // namespace

// Software keeps a port coherent that does not do so itself: it flushes before the FPGA moves the buffer and, of one
// that the FPGA has written, once more behind it.
PortResult run_trial(const platform::SocSpec& board, const PortTrial& trial) {
  const platform::SocPortSpec& port = board.ports[trial.port];
  fabric::DramCells cells;
  cells.reserve(trial.address, trial.bytes);
  Graph graph;
  platform::SocBoard soc(graph, board, cells, std::span(&trial.port, 1), {});
  const PortMover& circuit = add_circuit(graph, soc.port(0), port.axi, trial);
  CoreBuffer buffer(board, {.address = trial.address, .bytes = trial.bytes}, soc.cache().lines(), cells);
  buffer.bring_to(trial.state, kCpu);
  if (port.by_software) buffer.flush();
  graph.run();
  if (port.by_software && !trial.to_fpga) buffer.flush();
  const bool right = trial.to_fpga ? circuit.wrong() == 0 : buffer.has(kFpga);
  return {.elapsed = circuit.elapsed(), .verified = right};
}

}  // namespace isthmus::probes
