#include "isthmus/shared/soc/machine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isthmus/base/error.hpp"
#include "isthmus/shared/soc/chip.hpp"
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

/// What the core starts, and where that reaches memory.
struct CircuitEnds {
  In<const Pass*>& starts;
  Out<bool>& ended;
  PassEnds passes;
  std::vector<std::string> keys;  ///< numbers of the board that its pace hangs on
};

class Machine {
 public:
  Machine(const platform::Description& board, const Layout& layout, const Choice& choice, const Cpu::Program& program,
          const AddKernel& kernel)
      : description_(board),
        spec_(platform::soc_spec(board)),
        ports_(ports_of(spec_, choice.methods)),
        at_(addresses(layout, spec_)),
        ways_(ways(spec_, choice.methods, ports_, at_)),
        chip_(spec_, {.first = 0, .bytes = at_.end}, ports_, {.cached = 1, .uncached = 1}),
        cpu_(chip_.add_core<Cpu>("core", Cpu::Memory{spec_, layout, choice.methods, at_, ways_.port_of, chip_.cells},
                                 program)),
        circuit_(kernel ? add_starter(kernel) : add_circuit()) {
    const Time way = board.the("engines").time("register_access");
    const PassEnds& passes = circuit_.passes;
    chip_.graph.connect(cpu_.starts, circuit_.starts,
                        {.depth = 1, .latency = platform::cycles(way, spec_.cpu.frequency)});
    chip_.graph.connect(circuit_.ended, cpu_.ended, {.depth = 1, .latency = platform::cycles(way, clock().frequency)});
    for (std::size_t port = 0; port < ports_.size(); ++port)
      chip_.connect(port, clock(),
                    {passes.regions[port], passes.data[port], passes.stores[port], passes.written[port]});
  }

  Outcome run() {
    const RunReport report = chip_.graph.run();
    Outcome outcome{.elapsed = {}, .stages = cpu_.stages(), .parts = {}};
    for (const auto& [name, time] : outcome.stages) outcome.elapsed += time;
    outcome.parts = platform::parts_of(report, platform::on_board(plans(), description_));
    return outcome;
  }

 private:
  Clock clock() const { return {.frequency = spec_.ports.front().axi.clock}; }
  ActorOptions options() const { return {.clock = clock(), .group = kDeviceGroup}; }

  CircuitEnds add_circuit() {
    auto& circuit = chip_.graph.add<Circuit>("circuit", options(), ways_, clock().frequency);
    return {.starts = circuit.starts,
            .ended = circuit.ended,
            .passes = {circuit.regions, circuit.data, circuit.stores, circuit.written, chip_.graph.id(circuit)},
            .keys = {"engines.filter_pixels", "engines.gemm_multiplies", "engines.dnn_multiplies"}};
  }

  CircuitEnds add_starter(const AddKernel& kernel) {
    auto& starter = chip_.graph.add<KernelStarter>("registers", options());
    std::vector<fabric::AxiSpec> ports;
    ports.reserve(ports_.size());
    for (const std::size_t port : ports_) ports.push_back(spec_.ports[port].axi);
    const OwnKernelEnds own = kernel(chip_.graph, clock(), std::move(ports));
    chip_.graph.connect(starter.stores, own.start, {.depth = kStores});
    chip_.graph.connect(own.finished, starter.finished);
    return {.starts = starter.starts, .ended = starter.ended, .passes = own.passes, .keys = {"port.hp.clock"}};
  }

  std::vector<platform::PartPlan> plans() const {
    return {{.name = "core",
             .keys = {"cpu.clock", "cpu.element_cycles", "cpu.maintenance.line_cycles", "interconnect.latency"},
             .actors = {chip_.graph.id(cpu_)}},
            {.name = "circuit", .keys = circuit_.keys, .actors = {circuit_.passes.actor}}};
  }

  const platform::Description& description_;
  platform::SocSpec spec_;
  std::vector<std::size_t> ports_;
  Addresses at_;
  Ways ways_;
  Chip chip_;
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
