#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "isthmus/engine/graph.hpp"
#include "isthmus/fabric/device_memory.hpp"
#include "isthmus/fabric/pcie_link.hpp"
#include "isthmus/offload/model.hpp"
#include "isthmus/platform/board.hpp"
#include "isthmus/platform/part.hpp"
#include "offload/model/host_copy.hpp"
#include "offload/model/host_parts.hpp"
#include "offload/model/host_thread.hpp"
#include "offload/model/specs.hpp"
#include "offload/model/workers.hpp"

namespace isthmus::offload::model {

/// What a board holds: the kernels are on the FPGA.
struct Loaded {
  const MachineSpec& spec;
  const std::vector<const KernelModel*>& kernels;
  fabric::DeviceMemory& memory;

  fabric::Units units() const { return {spec.engines.size(), kernels.size()}; }
};

/// What a run builds its machine of.
struct MachinePlan {
  Loaded board;
  const std::vector<HostThread>& threads;
  const RunContext& context;
  fabric::Host* host;  ///< that the board is in with others; null: one of its own
};

class Runtime;

using Actors = std::vector<ActorId>;

/// What an actor of a machine does that works.
enum class Role : std::uint8_t {
  // Software of the host: an actor of each thread, and of each kernel.
  threads,
  transfer_calls,
  allocations,
  copies,
  launches,
  access,  ///< where it meets the device: one in all
  // In the device: an actor of each DMA engine, of each memory channel, of each kernel and of each of its ports.
  dma_fetches,
  dma_sends,
  dma_to_device,
  dma_to_host,
  dram,
  kernels,
  kernel_reads,
  kernel_writes,
  count
};

/// The actors of a machine that work, by what they do.
class MachineActors {
 public:
  Actors& operator[](Role role) { return by_role_[static_cast<std::size_t>(role)]; }
  const Actors& operator[](Role role) const { return by_role_[static_cast<std::size_t>(role)]; }
  std::span<const Actors> of_host_software() const {
    return std::span(by_role_).first(static_cast<std::size_t>(Role::access));
  }
  /// Calls `visit` with the id of each.
  template <class Visit>
  void visit(const Visit& visit) {
    for (Actors& actors : by_role_) std::ranges::for_each(actors, visit);
  }

 private:
  std::array<Actors, static_cast<std::size_t>(Role::count)> by_role_;
};

/// The masters of the device's memory in the shell: those of each DMA engine and of each kernel's ports.
struct MachineMasters {
  std::vector<std::size_t> engines{};
  std::vector<std::vector<std::size_t>> kernels{};
};

/// A machine that was built.
struct Machine {
  MachineActors actors{};
  MachineMasters masters{};
  std::vector<platform::PartPlan> parts{};  ///< in the order in which data to the device pass them
  std::vector<const HostThreadActor*> threads{};
  std::vector<HostThreadEnds> ends{};  ///< of the threads of a machine with surroundings
  const Runtime* runtime = nullptr;
  std::vector<fabric::PcieLinkActors> links{};
};

Machine build_machine(Graph& graph, const MachinePlan& plan);

/// Puts the parts of the host before those of the board.
void arrange_parts(const MachinePlan& plan, Machine& machine);

/// Adds `by` to the ids of all actors of the machine.
void move_ids(Machine& machine, std::size_t by);

/// The workers for the commands of so many threads.
Workers workers_of(const MachineSpec& spec, std::size_t threads, std::size_t kernels);

/// How many cores of a machine with so many threads move bytes in the host's memory.
int copying_cores(const MachineSpec& spec, std::size_t threads);

// The machine is built in pieces: the board with the FPGA's shell on it, host software.

/// A board as host software meets it. Commands are handed in and out by worker.
class BoardSide {
 public:
  virtual ~BoardSide() = default;
  virtual In<CommandToken>& submitted(std::size_t worker) = 0;
  virtual Out<CommandToken>& completed(std::size_t worker) = 0;
  virtual platform::Grain grain() const = 0;
  virtual void attach_core(CopyingCore& core) = 0;
  /// The way in which one worker's transfers pass pinned memory.
  virtual Staging staging() = 0;
};

/// Adds what it builds to `machine`.
void build_host(Graph& graph, const MachinePlan& plan, BoardSide& board, Machine& machine);

/// What the host stores to and what comes back: doorbells and interrupts of so many workers, then the shell behind the
/// board's links. Adds what it builds to `machine`, with the parts of the device.
std::unique_ptr<BoardSide> build_board(Graph& graph, const Loaded& loaded, platform::Board& board, std::size_t workers,
                                       Machine& machine);

/// The registers, the interrupts and a DMA engine behind each link, and the kernels, which are started over the first.
/// Without a link, host software reaches the registers at once: the way there is a part of what a store and a wake-up
/// cost. Adds what it builds to `machine`.
void build_shell(Graph& graph, const Loaded& loaded, platform::Board& board, DeviceAccess& access, Machine& machine);

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
std::string of_kernel(const Loaded& loaded, std::size_t kernel, const std::string& name);
/// "DMA engine, to device" and "DMA engine, to host".
std::string to_device(const std::string& part);
std::string to_host(const std::string& part);

}  // namespace isthmus::offload::model
