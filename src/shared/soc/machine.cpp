#include "isthmus/shared/soc/machine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isthmus/base/error.hpp"
#include "platform/cycles.hpp"
#include "shared/soc/circuit.hpp"
#include "shared/soc/kernel_starter.hpp"

namespace isthmus::soc {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::size_t kStores = 8;  // stores to a kernel's registers that wait for it
constexpr std::array<const char*, kMethods.size()> kPortOf = {"hp", "hp", "hpc", "acp"};

Addresses addresses(const Layout& layout, const platform::SocSpec& board) {
  Addresses made;
  const auto place = [&made](std::uint64_t bytes) {
    const std::uint64_t at = made.end;
    made.end += (bytes + kPage - 1) / kPage * kPage;
    return at;
  };
  for (const Buffer& buffer : layout.buffers) made.buffers.push_back(place(buffer.bytes));
  for (const std::uint64_t bytes : layout.areas) made.areas.push_back(place(bytes));
  if (made.end > static_cast<std::uint64_t>(board.capacity.count))
    throw Error(fmt::format("--count: expected what lies in a channel of the DRAM, {} B, got {} B of buffers and data",
                            board.capacity.count, made.end));
  return made;
}

/// The ports of the board that the methods use, each once.
std::vector<std::size_t> ports_of(const platform::SocSpec& board, const std::vector<Method>& methods) {
  std::vector<std::size_t> ports;
  for (const Method method : methods) {
    const std::size_t port = platform::port_named(board, kPortOf.at(static_cast<std::size_t>(method)));
    if (std::ranges::find(ports, port) == ports.end()) ports.push_back(port);
  }
  return ports;
}

Ways ways(const platform::SocSpec& board, const std::vector<Method>& methods, const std::vector<std::size_t>& ports,
          const Addresses& at) {
  Ways made{.port_of = {}, .address = at.buffers, .burst = {}};
  for (const Method method : methods) {
    const std::size_t port = platform::port_named(board, kPortOf.at(static_cast<std::size_t>(method)));
    made.port_of.push_back(static_cast<std::size_t>(std::ranges::find(ports, port) - ports.begin()));
  }
  for (const std::size_t port : ports)
    made.burst.push_back(static_cast<std::uint64_t>(board.ports[port].axi.burst.count));
  return made;
}

/// What the core starts, and where it reaches memory.
struct CircuitEnds {
  In<const Pass*>& starts;
  Out<bool>& ended;
  PortArray<Out<fabric::AxiRegion>>& regions;
  PortArray<In<fabric::AxiBurst>>& data;
  PortArray<Out<fabric::AxiStore>>& stores;
  PortArray<In<fabric::AxiDone>>& written;
  ActorId actor;
  std::vector<std::string> keys;  ///< numbers of the board that its pace hangs on
};

CircuitEnds ends_of(Graph& graph, Circuit& circuit) {
  return {.starts = circuit.starts,
          .ended = circuit.ended,
          .regions = circuit.regions,
          .data = circuit.data,
          .stores = circuit.stores,
          .written = circuit.written,
          .actor = graph.id(circuit),
          .keys = {"engines.filter_pixels", "engines.gemm_multiplies", "engines.dnn_multiplies"}};
}

CircuitEnds ends_of(Graph& graph, KernelStarter& starter, const OwnKernelEnds& kernel) {
  graph.connect(starter.stores, kernel.start, {.depth = kStores});
  graph.connect(kernel.finished, starter.finished);
  return {.starts = starter.starts,
          .ended = starter.ended,
          .regions = kernel.regions,
          .data = kernel.data,
          .stores = kernel.stores,
          .written = kernel.written,
          .actor = kernel.actor,
          .keys = {"port.hp.clock"}};
}

class Machine {
 public:
  Machine(const platform::Description& board, const Layout& layout, const Choice& choice, const Cpu::Program& program,
          const AddKernel& kernel)
      : description_(board),
        board_(platform::soc_spec(board)),
        methods_(choice.methods),
        ports_(ports_of(board_, methods_)),
        at_(addresses(layout, board_)),
        ways_(ways(board_, methods_, ports_, at_)),
        soc_((cells_.reserve(0, at_.end), graph_), board_, cells_, ports_, {.cached = 1, .uncached = 1}),
        cpu_(graph_.add<Cpu>("core", {.clock = board_.cpu, .group = kHostGroup},
                             Cpu::Memory{board_, layout, methods_, at_, ways_.port_of, cells_}, program)),
        circuit_(add(kernel)) {
    soc_.attach_core(cpu_.core.memory.accesses, cpu_.core.memory.results);
    soc_.attach_uncached(cpu_.core.memory);
    const Time way = board.the("engines").time("register_access");
    graph_.connect(cpu_.starts, circuit_.starts, {.depth = 1, .latency = platform::cycles(way, board_.cpu.frequency)});
    graph_.connect(circuit_.ended, cpu_.ended, {.depth = 1, .latency = platform::cycles(way, clock().frequency)});
    for (std::size_t port = 0; port < ports_.size(); ++port) connect(port);
  }

  Outcome run() {
    const RunReport report = graph_.run();
    Outcome outcome{.elapsed = {}, .stages = cpu_.stages(), .parts = {}};
    for (const auto& [name, time] : outcome.stages) outcome.elapsed += time;
    outcome.parts = platform::parts_of(report, platform::on_board(plans(), description_));
    return outcome;
  }

 private:
  CircuitEnds add(const AddKernel& kernel) {
    const ActorOptions options{.clock = clock(), .group = kDeviceGroup};
    if (!kernel) return ends_of(graph_, graph_.add<Circuit>("circuit", options, ways_, clock().frequency));
    std::vector<fabric::AxiSpec> ports;
    ports.reserve(ports_.size());
    for (const std::size_t port : ports_) ports.push_back(board_.ports[port].axi);
    auto& starter = graph_.add<KernelStarter>("registers", options);
    return ends_of(graph_, starter, kernel(graph_, clock(), std::move(ports)));
  }

  Clock clock() const { return {.frequency = board_.ports.front().axi.clock}; }

  void connect(std::size_t port) {
    const platform::MasterEnds ends = soc_.port(port);
    const ChannelOptions bursts = platform::register_on(clock(), platform::kBursts);
    graph_.connect(circuit_.regions[port], ends.regions, bursts);
    graph_.connect(ends.data, circuit_.data[port], bursts);
    graph_.connect(circuit_.stores[port], ends.stores, bursts);
    graph_.connect(ends.written, circuit_.written[port], bursts);
  }

  std::vector<platform::PartPlan> plans() const {
    std::vector<platform::PartPlan> plans{
        {.name = "core",
         .keys = {"cpu.clock", "cpu.element_cycles", "cpu.maintenance.line_cycles", "interconnect.latency"},
         .actors = {graph_.id(cpu_)}},
        {.name = "circuit", .keys = circuit_.keys, .actors = {circuit_.actor}}};
    return plans;
  }

  const platform::Description& description_;
  platform::SocSpec board_;
  std::vector<Method> methods_;
  std::vector<std::size_t> ports_;
  Addresses at_;
  Ways ways_;
  fabric::DramCells cells_;
  Graph graph_;
  platform::SocBoard soc_;
  Cpu& cpu_;
  CircuitEnds circuit_;
};

}  // namespace

Outcome run(const platform::Description& board, const Layout& layout, const Choice& choice, const Cpu::Program& program,
            const AddKernel& kernel) {
  return Machine(board, layout, choice, program, kernel).run();
}

Engines engines_of(const platform::Description& board) {
  const platform::Section& engines = board.the("engines");
  return {.filter_pixels = engines.count("filter_pixels"),
          .gemm_multiplies = engines.count("gemm_multiplies"),
          .dnn_multiplies = engines.count("dnn_multiplies")};
}

}  // namespace isthmus::soc
