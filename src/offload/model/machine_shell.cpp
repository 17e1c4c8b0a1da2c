#include "offload/model/machine.hpp"

namespace isthmus::offload::model {
namespace {

/// A clocked part to one without a clock, or the other way: a register at each end.
ChannelOptions register_on(const Clock& clock, int depth) {
  const Time period = Time::seconds(1 / clock.frequency.hertz());
  return {.depth = depth, .latency_time = period, .return_latency_time = period};
}

constexpr int kMessages = 8;  // doorbells and interrupts that wait on either side: more than there are units

/// Bursts that wait before and behind the data path: it never stands still for want of room in a stream.
constexpr int kBursts = 4;

// What stands in the place of parts that a board has not: ports that do nothing.

struct NoDma {
  In<fabric::DmaStart> starts{"starts"};
  Out<PcieWriteDone> to_host{"to_host"};
  void step() { starts.read(); }
};

struct NoMaster {
  Out<fabric::AxiRegion> regions{"regions"};
  In<fabric::AxiBurst> data{"data"};
  Out<fabric::AxiStore> stores{"stores"};
  void step() {}
  bool done() const { return true; }
};

struct NoMemory {
  In<fabric::AxiRegion> regions{"regions"};
  Out<fabric::AxiBurst> data{"data"};
  In<fabric::AxiStore> stores{"stores"};
  Out<fabric::AxiDone> written{"written"};
  void step() { regions.read(); }
};

struct NoTransfers {
  Out<fabric::AxiDone> to_device{"to_device"};
  void step() {}
  bool done() const { return true; }
};

struct NoUser : fabric::LinkUser {
  void step() {}
  bool done() const { return true; }
};

class Shell {
 public:
  Shell(Graph& graph, const MachineSpec& spec, const ShellEnds& ends)
      : graph_(graph),
        spec_(spec),
        ends_(ends),
        clock_(needed(spec.shell_clock())),
        block_{.clock = clock_, .group = kDeviceGroup},
        registers_(graph.add<fabric::DeviceRegisters>("device registers", block_)),
        interrupts_(graph.add<fabric::DeviceInterrupts>("device interrupts", block_)) {}

  void build() {
    connect_host();
    if (spec_.dma)
      build_dma();
    else
      leave_out_dma();
    connect_kernel();
    if (ends_.memory != nullptr)
      graph_.connect(ends_.memory->dma.written, interrupts_.to_device, register_on(clock_, kBursts));
    else
      graph_.connect(graph_.add<NoTransfers>("no transfers", block_).to_device, interrupts_.to_device);
  }

 private:
  void connect_host() {
    HostEnds& host = ends_.host;
    const int interrupt = spec_.dma ? spec_.dma->interrupt : 1;
    if (fabric::PcieLink* link = ends_.link) {
      graph_.connect(host.mmio, link->mmio, out_of_core(kMessages));
      graph_.connect(link->device_mmio, registers_.in, {.depth = 4});
      graph_.connect(interrupts_.out, link->device_messages, {.latency = interrupt});
      graph_.connect(link->host_messages, host.messages, into_core(*link, kMessages));
    } else {
      graph_.connect(host.mmio, registers_.in, {.depth = kMessages, .latency_time = kHandOver});
      graph_.connect(interrupts_.out, host.messages,
                     {.depth = kMessages, .latency = interrupt, .return_latency_time = kHandOver});
    }
  }

  /// The DMA engine's data paths are its AXI ports; before and behind them is what it says to the link.
  void build_dma() {
    const fabric::AxiSpec& axi = needed(spec_.memory).axi;
    const fabric::DmaSpec& dma = needed(spec_.dma);
    fabric::PcieLink& link = *ends_.link;
    auto& fetch = graph_.add<fabric::DmaFetch>(kDmaFetch, block_, dma, axi);
    auto& send = graph_.add<fabric::DmaSend>(kDmaSend, block_);
    graph_.connect(registers_.dma, fetch.starts);
    graph_.connect(fetch.requests, link.read_requests, {.depth = 64});
    const auto words = static_cast<int>(dma.read_buffer.count / kWordBytes);
    graph_.connect(link.read_data, fetch.words, {.depth = 2 * words});

    MasterEnds& memory = ends_.memory->dma;
    const int orders = dma.descriptors_in_flight;
    graph_.connect(fetch.data, memory.stores, register_on(clock_, kBursts));
    graph_.connect(fetch.regions, memory.regions, register_on(clock_, orders));
    graph_.connect(fetch.orders, send.orders, {.depth = orders + axi.outstanding});
    graph_.connect(memory.data, send.data, register_on(clock_, kBursts));

    constexpr int kWrites = fabric::DmaSend::kUnderWay;
    graph_.connect(send.writes, link.write_requests, {.depth = kWrites});
    graph_.connect(send.words, link.write_data, {.depth = kWrites * static_cast<int>(axi.burst.count / kWordBytes)});
    graph_.connect(link.writes_done, send.written, {.depth = kWrites});
    graph_.connect(send.transfers, interrupts_.to_host);
  }

  void leave_out_dma() {
    auto& dma = graph_.add<NoDma>("no DMA engine", block_);
    graph_.connect(registers_.dma, dma.starts);
    graph_.connect(dma.to_host, interrupts_.to_host);
    if (ends_.link != nullptr)
      fabric::connect(graph_, graph_.add<NoUser>("no user of the link", block_), *ends_.link, {});
    if (ends_.memory == nullptr) return;
    auto& master = graph_.add<NoMaster>("no second master", block_);
    graph_.connect(master.regions, ends_.memory->dma.regions, register_on(clock_, kBursts));
    graph_.connect(ends_.memory->dma.data, master.data, register_on(clock_, kBursts));
    graph_.connect(master.stores, ends_.memory->dma.stores, register_on(clock_, kBursts));
  }

  void connect_kernel() {
    KernelPorts& kernel = ends_.kernel;
    graph_.connect(registers_.kernel, kernel.start, {.depth = 8});
    graph_.connect(kernel.finished, interrupts_.kernel);
    if (ends_.memory != nullptr)
      connect_kernel(kernel, ends_.memory->kernel);
    else
      leave_out_memory(kernel);
  }

  void connect_kernel(KernelPorts& kernel, MasterEnds& memory) {
    const Clock clock = spec_.kernel ? spec_.kernel->clock : clock_;
    graph_.connect(kernel.regions, memory.regions, register_on(clock, kBursts));
    graph_.connect(memory.data, kernel.data, register_on(clock, kBursts));
    ChannelOptions results = register_on(clock, kBursts);
    results.latency = 1 + (spec_.kernel ? spec_.kernel->onchip_latency : 0);
    graph_.connect(kernel.stores, memory.stores, results);
    graph_.connect(memory.written, kernel.written, register_on(clock, kBursts));
  }

  void leave_out_memory(KernelPorts& kernel) {
    auto& memory = graph_.add<NoMemory>("no memory", block_);
    graph_.connect(kernel.regions, memory.regions);
    graph_.connect(memory.data, kernel.data);
    graph_.connect(kernel.stores, memory.stores);
    graph_.connect(memory.written, kernel.written);
  }

  Graph& graph_;
  const MachineSpec& spec_;
  const ShellEnds& ends_;
  Clock clock_;
  ActorOptions block_;
  fabric::DeviceRegisters& registers_;
  fabric::DeviceInterrupts& interrupts_;
};

}  // namespace

void build_shell(Graph& graph, const MachineSpec& spec, const ShellEnds& ends) {
  Shell(graph, spec, ends).build();
}

}  // namespace isthmus::offload::model
