#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "isthmus/fabric/dma.hpp"
#include "isthmus/offload/kernel_model.hpp"
#include "isthmus/platform/board.hpp"
#include "isthmus/platform/description.hpp"
#include "isthmus/platform/needs.hpp"
#include "offload/model/host_thread.hpp"

/// Specifications of a machine's parts, from the keys of a platform.
namespace isthmus::offload::model {

/// What an allocation of pinned memory costs.
struct AllocationSpec {
  Time call;
  Bandwidth rate;
  Time of(Bytes size) const { return call + transfer_time(size, rate); }
};

/// How fast a thread copies.
struct CopySpec {
  Bandwidth rate{};         ///< of what fits no cache
  Bandwidth cached_rate{};  ///< of what does
  std::uint64_t fits = 0;   ///< bytes of the largest such copy
};

/// What a thread pays to reach registers of the device.
struct RegistersSpec {
  Time store;           ///< of a doorbell
  Bytes line;           ///< the most that one store carries
  Bytes core_register;  ///< the most that one carries which is not combined
};

struct HostSpec {
  CallCosts calls;
  Time transfer;                        ///< driver's part of a transfer: what the calling thread does not pay itself
  Time launch;                          ///< the same of a launch
  Time interrupt;                       ///< a hypervisor's part of an interrupt
  Time core_to_core;                    ///< a cache line from one core to another
  std::optional<CopySpec> copy;         ///< none: the application's memory is pinned
  std::optional<AllocationSpec> alloc;  ///< none: the pinned buffer is kept
  std::optional<std::uint64_t> chunk;   ///< of staging; none: each transfer is staged as a whole
};

/// What a machine is built of: the parts that its board has and, of what takes several parts, what it has all of.
struct MachineSpec {
  platform::BoardSpec board{};
  std::optional<RegistersSpec> registers{};
  std::optional<HostSpec> host{};
  std::vector<fabric::DmaSpec> engines{};  ///< one for each link; only beside a memory
  std::optional<KernelSpec> kernel{};

  /// The ways by which host software reaches the shell: a link, or one that takes no time where there is none.
  std::size_t ways() const { return std::max<std::size_t>(1, board.links.size()); }
  /// The clock of the registers and interrupts on a way: the link's user clock, else the clock of the kernel or of the
  /// way to memory.
  std::optional<Clock> shell_clock(std::size_t way = 0) const {
    if (!board.links.empty()) return board.links[way].pcie.user_clock;
    if (kernel) return kernel->clock;
    return board.memory ? std::optional(Clock{.frequency = board.memory->axi.clock}) : std::nullopt;
  }
};

using platform::needed;

/// What chooses where any choice must do: the random numbers of actors, and which of those that are ready runs first
/// (see RunOptions).
struct RunOrder {
  std::uint64_t seed = 1;
  std::uint64_t schedule_seed = 0;
};

/// Throws Error naming the key where numbers contradict each other.
MachineSpec machine_spec(const platform::Description& board);

/// Without the links behind the first.
MachineSpec over_first_link(MachineSpec spec);

}  // namespace isthmus::offload::model
