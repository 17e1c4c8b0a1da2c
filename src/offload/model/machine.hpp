#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isthmus/engine/graph.hpp"
#include "isthmus/offload/model.hpp"
#include "isthmus/platform/board.hpp"
#include "isthmus/platform/part.hpp"
#include "offload/model/host_thread.hpp"
#include "offload/model/specs.hpp"

namespace isthmus::offload::model {

/// What a run builds its machine of.
struct MachinePlan {
  const MachineSpec& spec;
  const std::vector<const KernelModel*>& kernels;  ///< on the FPGA
  fabric::DeviceMemory& memory;
  const std::vector<HostThread>& threads;
  const RunContext& context;
  fabric::Host* host;  ///< that the board is in with others; null: one of its own
};

class Runtime;

using Actors = std::vector<ActorId>;

/// The actors of a machine that work.
struct MachineActors {
  // Of the host: one for each thread, and one for each kernel.
  Actors threads{};
  Actors transfer_calls{};
  Actors allocations{};
  Actors copies{};
  Actors launches{};
  ActorId access{};

  // Of the device: one for each DMA engine, one for each memory channel, one for each kernel and each of its ports.
  Actors dma_fetches{};
  Actors dma_sends{};
  Actors dma_to_device{};
  Actors dma_to_host{};
  Actors dram{};
  Actors kernels{};
  Actors kernel_reads{};
  Actors kernel_writes{};
};

/// A machine that was built.
struct Machine {
  MachineActors actors{};
  std::vector<platform::PartPlan> parts{};  ///< in the order in which data to the device pass them
  std::vector<const HostThreadActor*> threads{};
  const Runtime* runtime = nullptr;
  std::optional<fabric::PcieLinkActors> link{};
};

Machine build_machine(Graph& graph, const MachinePlan& plan);

/// How many cores of a machine with so many threads move bytes in the host's memory.
int copying_cores(const MachineSpec& spec, std::size_t threads);

// The machine is built in pieces: the board, the FPGA's shell on it, host software.

/// What host software gives and takes at the host's end of the link.
struct HostEnds {
  Out<MmioRequest>& mmio;
  In<DeviceMessage>& messages;
};
/// Adds what it builds to `machine`.
HostEnds build_host(Graph& graph, const MachinePlan& plan, platform::Board& board, Machine& machine);

/// The registers, the interrupts, the DMA engine and the kernels. Without a link, host software reaches the registers
/// at once: the way there is a part of what a store and a wake-up cost. Adds what it builds to `actors`.
void build_shell(Graph& graph, const MachinePlan& plan, platform::Board& board, HostEnds& host, MachineActors& actors);

/// How channels between parts of the host hand over: a line of memory from core to core.
ChannelOptions between_host_parts(const HostSpec& host);
/// How stores leave a core, into the root complex beside it, and how messages of the device come through that.
ChannelOptions out_of_core(int depth);
ChannelOptions into_core(const PcieInterface& link, int depth);

// Names of actors in reports.
std::string thread_name(const HostThread& thread);
std::string for_thread(const char* part, const HostThread& thread);
inline constexpr const char* kKernel = "kernel pipeline";
inline constexpr const char* kDeviceAccess = "doorbells and interrupts";
inline constexpr const char* kLaunchCall = "kernel launch";
inline constexpr const char* kTransferCall = "driver calls";
inline constexpr const char* kAllocation = "pinned allocation";
inline constexpr const char* kCopy = "host copy thread";
inline constexpr const char* kDma = "DMA engine";
inline constexpr const char* kKernelPorts = "kernel's AXI ports";
inline constexpr const char* kDmaFetch = "DMA fetch";
inline constexpr const char* kDmaSend = "DMA sender";
using platform::kDram;
/// `name` where the FPGA holds one kernel; with several it also says whose it is.
std::string of_kernel(const MachinePlan& plan, std::size_t kernel, const std::string& name);
/// "DMA engine, to device" and "DMA engine, to host".
std::string to_device(const std::string& part);
std::string to_host(const std::string& part);

}  // namespace isthmus::offload::model
