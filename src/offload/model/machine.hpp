#pragma once

#include <string>
#include <vector>

#include "isthmus/engine/graph.hpp"
#include "isthmus/fabric/pcie_link.hpp"
#include "isthmus/offload/model.hpp"
#include "isthmus/platform/part.hpp"
#include "offload/model/host_thread.hpp"
#include "offload/model/memory_map.hpp"
#include "offload/model/specs.hpp"

namespace isthmus::offload::model {

/// What a run builds its machine of.
struct MachinePlan {
  const MachineSpec& spec;
  const KernelModel* kernel;  ///< null: the FPGA holds none
  MemoryMap& memory;
  const std::vector<HostThread>& threads;
  RunContext& context;
};

/// A PartPlan whose actors go by their names, and its occupancies by theirs.
struct NamedPlan {
  std::string name;
  std::vector<std::string> keys;
  std::vector<std::string> actors{};
  std::vector<std::string> occupancies{};
  std::string counts{};
};

/// The parts of a machine, in the order in which data to the device pass them.
struct MachineParts {
  std::vector<NamedPlan> host;
  std::vector<platform::PartPlan> link;
  std::vector<NamedPlan> device;
  /// As those of a run that `report` tells of.
  std::vector<platform::PartPlan> in(const RunReport& report) const;
};

/// Builds the machine in `graph`; returns its parts.
MachineParts build_machine(Graph& graph, const MachinePlan& plan);

// The machine is built in pieces: host software, the FPGA's shell, its memory.

/// What host software gives and takes at the host's end of the link.
struct HostEnds {
  Out<MmioRequest>& mmio;
  In<DeviceMessage>& messages;
};
/// `pinned` is null where no link reaches it.
HostEnds build_host(Graph& graph, const MachinePlan& plan, PinnedMemory* pinned);

/// What the masters on the FPGA, DMA engine and kernel, have of memory: two ports each.
struct MasterEnds {
  In<fabric::AxiRegion>& regions;
  Out<fabric::AxiBurst>& data;
  In<fabric::AxiStore>& stores;
  Out<fabric::AxiDone>& written;
};
struct MemoryEnds {
  MasterEnds dma;
  MasterEnds kernel;
};
/// Of a machine that has memory.
MemoryEnds build_memory(Graph& graph, const MachineSpec& spec, MemoryMap& memory);

/// What the shell is tied to; null where the machine has none.
struct ShellEnds {
  fabric::PcieLink* link;
  MemoryEnds* memory;
  KernelPorts& kernel;
  HostEnds& host;
};

/// The registers, the interrupts and the DMA engine. Without a link, host software reaches the registers at once: the
/// way there is a part of what a store and a wake-up cost.
void build_shell(Graph& graph, const MachineSpec& spec, const ShellEnds& ends);

/// How channels between parts of the host hand over: a line of memory from core to core.
ChannelOptions between_host_parts(const HostSpec& host);
/// How stores leave a core, into the root complex beside it, and how messages of the device come through that.
ChannelOptions out_of_core(int depth);
ChannelOptions into_core(const PcieInterface& link, int depth);

// Names of actors in reports.
std::string thread_name(const HostThread& thread);
std::string for_thread(const char* part, const HostThread& thread);
std::string dram_name(std::size_t channel);
inline constexpr const char* kKernel = "kernel pipeline";
inline constexpr const char* kDeviceAccess = "doorbells and interrupts";
inline constexpr const char* kLaunchCall = "kernel launch";
inline constexpr const char* kTransferCall = "driver calls";
inline constexpr const char* kAllocation = "pinned allocation";
inline constexpr const char* kCopy = "host copy thread";
inline constexpr const char* kDma = "DMA engine";
inline constexpr const char* kKernelPorts = "kernel's AXI ports";
inline constexpr const char* kKernelReads = "kernel's AXI port, reads";
inline constexpr const char* kKernelWrites = "kernel's AXI port, writes";
inline constexpr const char* kDram = "device DRAM";
inline constexpr const char* kDmaFetch = "DMA fetch";
inline constexpr const char* kDmaSend = "DMA sender";
/// "DMA engine, to device" and "DMA engine, to host".
std::string to_device(const std::string& part);
std::string to_host(const std::string& part);

}  // namespace isthmus::offload::model
