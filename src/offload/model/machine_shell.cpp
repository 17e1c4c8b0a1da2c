#include <fmt/format.h>

#include "isthmus/platform/link.hpp"
#include "offload/model/machine.hpp"

namespace isthmus::offload::model {
namespace {

using platform::kBursts;
using platform::register_on;

constexpr int kMessages = 8;  // doorbells and interrupts that wait on either side

/// What a kernel's port meets on a device without memory.
struct NoMemory {
  In<fabric::AxiRegion> regions{"regions"};
  Out<fabric::AxiBurst> data{"data"};
  In<fabric::AxiStore> stores{"stores"};
  Out<fabric::AxiDone> written{"written"};
  void step() { regions.read(); }
};

/// What stands between a way of the host's and what it starts behind it.
struct ControlPath {
  ActorOptions block;  ///< on the way's clock
  fabric::DeviceRegisters& registers;
  fabric::DeviceInterrupts& interrupts;
};

class Shell {
 public:
  Shell(Graph& graph, const Loaded& loaded, platform::Board& board)
      : graph_(graph), loaded_(loaded), spec_(loaded.spec), board_(board) {}

  void build(DeviceAccess& access, Machine& machine) {
    for (std::size_t way = 0; way < spec_.ways(); ++way) {
      const Scope scope = graph_.scope(platform::scope_of_link(spec_.board, way));
      const ControlPath control = add_control(access, way);
      if (way < spec_.engines.size())
        add_dma(control, way, machine);
      else if (!board_.links().empty())
        fabric::connect(graph_, graph_.add<fabric::NoUser>("no user of the link", control.block), board_.links()[way],
                        {});
      controls_.push_back(control);
    }
    for (std::size_t kernel = 0; kernel < loaded_.kernels.size(); ++kernel) add_kernel(kernel, machine);
    if (board_.masters() > 0) board_.connect_memory();
  }

 private:
  ControlPath add_control(DeviceAccess& host, std::size_t way) {
    const fabric::Units units = UnitWays::units_on(loaded_.units(), way);
    const ActorOptions block{.clock = needed(spec_.shell_clock(way)), .group = kDeviceGroup};
    ControlPath control{
        .block = block,
        .registers = graph_.add<fabric::DeviceRegisters>("device registers", block, units.engines(), units.kernels()),
        .interrupts =
            graph_.add<fabric::DeviceInterrupts>("device interrupts", block, units.engines(), units.kernels())};
    connect_host(host, way, control);
    return control;
  }

  void connect_host(DeviceAccess& host, std::size_t way, const ControlPath& control) {
    const int interrupt = spec_.engines.empty() ? 1 : spec_.engines[way].interrupt;
    if (!board_.links().empty()) {
      fabric::PcieLink& link = board_.links()[way];
      graph_.connect(host.mmio[way], link.mmio, out_of_core(kMessages));
      graph_.connect(link.device_mmio, control.registers.in, {.depth = 4});
      graph_.connect(control.interrupts.out, link.device_messages, {.latency = interrupt});
      graph_.connect(link.host_messages, host.messages[way], into_core(link, kMessages));
    } else {
      graph_.connect(host.mmio[way], control.registers.in, {.depth = kMessages, .latency_time = kHandOver});
      graph_.connect(control.interrupts.out, host.messages[way],
                     {.depth = kMessages, .latency = interrupt, .return_latency_time = kHandOver});
    }
  }

  /// An engine's data paths are its AXI ports; before and behind them is what it says to its link.
  void add_dma(const ControlPath& control, std::size_t engine, Machine& machine) {
    MachineActors& actors = machine.actors;
    machine.masters.engines.push_back(board_.masters());
    const fabric::AxiSpec& axi = needed(spec_.board.memory).axi;
    const fabric::DmaSpec& dma = spec_.engines[engine];
    const Clock clock = needed(control.block.clock);
    fabric::PcieLink& link = board_.links()[engine];
    auto& fetch = graph_.add<fabric::DmaFetch>(kDmaFetch, control.block, dma, axi);
    auto& send = graph_.add<fabric::DmaSend>(kDmaSend, control.block);
    graph_.connect(control.registers.engines[0], fetch.starts);
    graph_.connect(fetch.requests, link.read_requests, {.depth = 64});
    const auto words = static_cast<int>(dma.read_buffer.count / kWordBytes);
    graph_.connect(link.read_data, fetch.words, {.depth = 2 * words});

    platform::MasterEnds memory =
        board_.add_master({.reads = to_host(kDma), .writes = to_device(kDma), .rate = dma.rate});
    const int orders = dma.descriptors_in_flight;
    graph_.connect(fetch.data, memory.stores, register_on(clock, kBursts));
    graph_.connect(fetch.regions, memory.regions, register_on(clock, orders));
    graph_.connect(fetch.orders, send.orders, {.depth = orders + axi.outstanding});
    graph_.connect(memory.data, send.data, register_on(clock, kBursts));

    constexpr int kWrites = fabric::DmaSend::kUnderWay;
    graph_.connect(send.writes, link.write_requests, {.depth = kWrites});
    graph_.connect(send.words, link.write_data, {.depth = kWrites * static_cast<int>(axi.burst.count / kWordBytes)});
    graph_.connect(link.writes_done, send.written, {.depth = kWrites});
    graph_.connect(send.transfers, control.interrupts.to_host[0]);
    graph_.connect(memory.written, control.interrupts.to_device[0], register_on(clock, kBursts));

    actors[Role::dma_fetches].push_back(graph_.id(fetch));
    actors[Role::dma_sends].push_back(graph_.id(send));
    actors[Role::dma_to_device].push_back(graph_.id(memory.stores));
    actors[Role::dma_to_host].push_back(graph_.id(memory.regions));
  }

  void add_kernel(std::size_t index, Machine& machine) {
    MachineActors& actors = machine.actors;
    auto& masters = machine.masters.kernels.emplace_back();
    KernelPorts& kernel = loaded_.kernels[index]->add(graph_, of_kernel(loaded_, index, kKernel), needed(spec_.kernel));
    actors[Role::kernels].push_back(graph_.id(kernel));
    graph_.connect(controls_.front().registers.kernels[index], kernel.start, {.depth = 8});
    graph_.connect(kernel.finished, controls_.front().interrupts.kernels[index]);
    for (std::size_t port = 0; port < kernel.regions.size(); ++port) {
      std::string name = of_kernel(loaded_, index, "kernel's AXI port");
      if (kernel.regions.size() > 1) name += fmt::format(" {}", port);
      if (!spec_.board.memory) {
        leave_out_memory(kernel, port, name);
        continue;
      }
      masters.push_back(board_.masters());
      const platform::MasterEnds memory = board_.add_master({.reads = name + ", reads", .writes = name + ", writes"});
      actors[Role::kernel_reads].push_back(graph_.id(memory.regions));
      actors[Role::kernel_writes].push_back(graph_.id(memory.stores));
      connect_port(kernel, port, memory);
    }
  }

  void leave_out_memory(KernelPorts& kernel, std::size_t port, const std::string& name) {
    auto& memory = graph_.add<NoMemory>("no memory at " + name, controls_.front().block);
    graph_.connect(kernel.regions[port], memory.regions);
    graph_.connect(memory.data, kernel.data[port]);
    graph_.connect(kernel.stores[port], memory.stores);
    graph_.connect(memory.written, kernel.written[port]);
  }

  void connect_port(KernelPorts& kernel, std::size_t port, const platform::MasterEnds& memory) {
    const auto& [clock, axi, capacity, latency] = needed(spec_.kernel);
    graph_.connect(kernel.regions[port], memory.regions, register_on(clock, kBursts));
    graph_.connect(memory.data, kernel.data[port], register_on(clock, kBursts));
    ChannelOptions results = register_on(clock, kBursts);
    results.latency = 1 + latency;
    graph_.connect(kernel.stores[port], memory.stores, results);
    graph_.connect(memory.written, kernel.written[port], register_on(clock, kBursts));
  }

  Graph& graph_;
  const Loaded& loaded_;
  const MachineSpec& spec_;
  platform::Board& board_;
  std::vector<ControlPath> controls_;  ///< by way
};

}  // namespace

void build_shell(Graph& graph, const Loaded& loaded, platform::Board& board, DeviceAccess& access, Machine& machine) {
  Shell(graph, loaded, board).build(access, machine);
}

}  // namespace isthmus::offload::model
