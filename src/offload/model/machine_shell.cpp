#include <fmt/format.h>

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

class Shell {
 public:
  Shell(Graph& graph, const Loaded& loaded, platform::Board& board)
      : graph_(graph),
        loaded_(loaded),
        spec_(loaded.spec),
        board_(board),
        clock_(needed(spec_.shell_clock())),
        block_{.clock = clock_, .group = kDeviceGroup},
        engines_(spec_.dma ? 1 : 0),
        registers_(graph.add<fabric::DeviceRegisters>("device registers", block_, engines_, loaded.kernels.size())),
        interrupts_(graph.add<fabric::DeviceInterrupts>("device interrupts", block_, engines_, loaded.kernels.size())) {
  }

  void build(DeviceAccess& access, Machine& machine) {
    connect_host(access);
    for (std::size_t engine = 0; engine < engines_; ++engine) add_dma(engine, machine);
    if (engines_ == 0 && !board_.links().empty())
      fabric::connect(graph_, graph_.add<fabric::NoUser>("no user of the link", block_), board_.links().front(), {});
    for (std::size_t kernel = 0; kernel < loaded_.kernels.size(); ++kernel) add_kernel(kernel, machine);
    if (board_.masters() > 0) board_.connect_memory();
  }

 private:
  void connect_host(DeviceAccess& host) {
    const int interrupt = spec_.dma ? spec_.dma->interrupt : 1;
    if (!board_.links().empty()) {
      fabric::PcieLink& link = board_.links().front();
      graph_.connect(host.mmio, link.mmio, out_of_core(kMessages));
      graph_.connect(link.device_mmio, registers_.in, {.depth = 4});
      graph_.connect(interrupts_.out, link.device_messages, {.latency = interrupt});
      graph_.connect(link.host_messages, host.messages, into_core(link, kMessages));
    } else {
      graph_.connect(host.mmio, registers_.in, {.depth = kMessages, .latency_time = kHandOver});
      graph_.connect(interrupts_.out, host.messages,
                     {.depth = kMessages, .latency = interrupt, .return_latency_time = kHandOver});
    }
  }

  /// An engine's data paths are its AXI ports; before and behind them is what it says to its link.
  void add_dma(std::size_t engine, Machine& machine) {
    MachineActors& actors = machine.actors;
    machine.masters.engines.push_back(board_.masters());
    const fabric::AxiSpec& axi = needed(spec_.board.memory).axi;
    const fabric::DmaSpec& dma = needed(spec_.dma);
    fabric::PcieLink& link = board_.links()[engine];
    auto& fetch = graph_.add<fabric::DmaFetch>(kDmaFetch, block_, dma, axi);
    auto& send = graph_.add<fabric::DmaSend>(kDmaSend, block_);
    graph_.connect(registers_.engines[engine], fetch.starts);
    graph_.connect(fetch.requests, link.read_requests, {.depth = 64});
    const auto words = static_cast<int>(dma.read_buffer.count / kWordBytes);
    graph_.connect(link.read_data, fetch.words, {.depth = 2 * words});

    platform::MasterEnds memory =
        board_.add_master({.reads = to_host(kDma), .writes = to_device(kDma), .rate = dma.rate});
    const int orders = dma.descriptors_in_flight;
    graph_.connect(fetch.data, memory.stores, register_on(clock_, kBursts));
    graph_.connect(fetch.regions, memory.regions, register_on(clock_, orders));
    graph_.connect(fetch.orders, send.orders, {.depth = orders + axi.outstanding});
    graph_.connect(memory.data, send.data, register_on(clock_, kBursts));

    constexpr int kWrites = fabric::DmaSend::kUnderWay;
    graph_.connect(send.writes, link.write_requests, {.depth = kWrites});
    graph_.connect(send.words, link.write_data, {.depth = kWrites * static_cast<int>(axi.burst.count / kWordBytes)});
    graph_.connect(link.writes_done, send.written, {.depth = kWrites});
    graph_.connect(send.transfers, interrupts_.to_host[engine]);
    graph_.connect(memory.written, interrupts_.to_device[engine], register_on(clock_, kBursts));

    actors.dma_fetches.push_back(graph_.id(fetch));
    actors.dma_sends.push_back(graph_.id(send));
    actors.dma_to_device.push_back(graph_.id(memory.stores));
    actors.dma_to_host.push_back(graph_.id(memory.regions));
  }

  void add_kernel(std::size_t index, Machine& machine) {
    MachineActors& actors = machine.actors;
    auto& masters = machine.masters.kernels.emplace_back();
    KernelPorts& kernel = loaded_.kernels[index]->add(graph_, of_kernel(loaded_, index, kKernel), needed(spec_.kernel));
    actors.kernels.push_back(graph_.id(kernel));
    graph_.connect(registers_.kernels[index], kernel.start, {.depth = 8});
    graph_.connect(kernel.finished, interrupts_.kernels[index]);
    for (std::size_t port = 0; port < kernel.regions.size(); ++port) {
      std::string name = of_kernel(loaded_, index, "kernel's AXI port");
      if (kernel.regions.size() > 1) name += fmt::format(" {}", port);
      if (!spec_.board.memory) {
        leave_out_memory(kernel, port, name);
        continue;
      }
      masters.push_back(board_.masters());
      const platform::MasterEnds memory = board_.add_master({.reads = name + ", reads", .writes = name + ", writes"});
      actors.kernel_reads.push_back(graph_.id(memory.regions));
      actors.kernel_writes.push_back(graph_.id(memory.stores));
      connect_port(kernel, port, memory);
    }
  }

  void leave_out_memory(KernelPorts& kernel, std::size_t port, const std::string& name) {
    auto& memory = graph_.add<NoMemory>("no memory at " + name, block_);
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
  Clock clock_;
  ActorOptions block_;
  std::size_t engines_;
  fabric::DeviceRegisters& registers_;
  fabric::DeviceInterrupts& interrupts_;
};

}  // namespace

void build_shell(Graph& graph, const Loaded& loaded, platform::Board& board, DeviceAccess& access, Machine& machine) {
  Shell(graph, loaded, board).build(access, machine);
}

}  // namespace isthmus::offload::model
