#include "probes/port_trial.hpp"

#include <array>
#include <cstring>
#include <span>

#include "isthmus/fabric/coherence/resting_lines.hpp"
#include "isthmus/fabric/write_stream.hpp"
#include "probes/line_mover.hpp"
#include "probes/port_mover.hpp"

namespace isthmus::probes {
namespace {

// Who has written a line last.
constexpr std::uint64_t kCpu = 1;
constexpr std::uint64_t kFpga = 2;

/// The buffer as a core has it while the FPGA is still.
class Buffer {
 public:
  Buffer(const platform::SocSpec& board, const PortTrial& trial, fabric::LineStore& cache, fabric::DramCells& cells)
      : bytes_(static_cast<std::uint64_t>(board.coherence.line)),
        first_(trial.address / bytes_),
        count_(trial.bytes / bytes_),
        maintained_(board.maintenance),
        stream_(board.write_stream),
        lines_(cache, cells, board.coherence.line) {}

  void bring_to(BufferState state) {
    write(state == BufferState::streamed);
    if (state == BufferState::read || state == BufferState::flushed) flush();
    if (state == BufferState::read)
      for (std::uint64_t i = 0; i < count_; ++i) lines_.read(first_ + i, line());
  }

  void flush() {
    for (std::uint64_t i = 0; maintained_ && i < count_; ++i) lines_.flush(first_ + i);
  }

  /// Whether the core reads what `writer` has left.
  bool has(std::uint64_t writer) {
    std::array<std::byte, fabric::kMostLine> expected{};
    for (std::uint64_t i = 0; i < count_; ++i) {
      lines_.read(first_ + i, line());
      fill_line(i * bytes_, writer, std::span(expected).first(bytes_));
      if (std::memcmp(expected.data(), line_.data(), bytes_) != 0) return false;
    }
    return true;
  }

 private:
  std::span<std::byte> line() { return std::span(line_).first(bytes_); }

  /// Whole lines in sequence, or in pairs of which the second comes first.
  void write(bool in_sequence) {
    for (std::uint64_t i = 0; i < count_; ++i) {
      const std::uint64_t partner = i ^ 1U;
      const std::uint64_t at = in_sequence || partner >= count_ ? i : partner;
      fill_line(at * bytes_, kCpu, line());
      lines_.write(first_ + at, line(), stream_.keeps(first_ + at));
    }
  }

  std::uint64_t bytes_;
  std::uint64_t first_;
  std::uint64_t count_;
  bool maintained_;
  fabric::WriteStream stream_;
  fabric::RestingLines lines_;
  std::array<std::byte, fabric::kMostLine> line_{};
};

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
  platform::SocBoard soc(graph, board, cells, std::span(&trial.port, 1), 0);
  const PortMover& circuit = add_circuit(graph, soc.port(0), port.axi, trial);
  Buffer buffer(board, trial, soc.cache().lines(), cells);
  buffer.bring_to(trial.state);
  if (port.by_software) buffer.flush();
  graph.run();
  if (port.by_software && !trial.to_fpga) buffer.flush();
  const bool right = trial.to_fpga ? circuit.wrong() == 0 : buffer.has(kFpga);
  return {.elapsed = circuit.elapsed(), .verified = right};
}

}  // namespace isthmus::probes
