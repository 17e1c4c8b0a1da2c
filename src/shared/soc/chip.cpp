#include "isthmus/shared/soc/chip.hpp"

namespace isthmus::soc {
namespace {

fabric::DramCells cells_of(const Span& memory) {
  fabric::DramCells cells;
  cells.reserve(memory.first, memory.bytes);
  return cells;
}

}  // namespace

void ProgramCore::step() {
  const Time start = core.now();
  program_(core);
  elapsed_ = core.now() - start;
  for (auto& other : ended) other.push(true);
  core.memory.settle();
  over_ = true;
}

Chip::Chip(const platform::SocSpec& spec, const Span& memory, const std::vector<std::size_t>& ports,
           const platform::SocCores& cores)
    : cells(cells_of(memory)), spec_(spec), board_(graph, spec, cells, ports, cores) {}

void Chip::connect(std::size_t port, const Clock& clock, const CircuitPort& circuit) {
  const platform::MasterEnds ends = board_.port(port);
  const ChannelOptions bursts = platform::register_on(clock, platform::kBursts);
  graph.connect(circuit.regions, ends.regions, bursts);
  graph.connect(ends.data, circuit.data, bursts);
  graph.connect(circuit.stores, ends.stores, bursts);
  graph.connect(ends.written, circuit.written, bursts);
}

}  // namespace isthmus::soc
