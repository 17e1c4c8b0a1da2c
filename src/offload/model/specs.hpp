#pragma once

#include <optional>

#include "isthmus/fabric/dma.hpp"
#include "isthmus/fabric/dram.hpp"
#include "isthmus/fabric/host_memory.hpp"
#include "isthmus/offload/kernel_model.hpp"
#include "isthmus/platform/description.hpp"
#include "offload/model/host_thread.hpp"

/// From a platform's keys to what its parts are built of.
namespace isthmus::offload::model {

/// What an allocation of pinned memory costs.
struct AllocationSpec {
  Time call;
  Bandwidth rate;
  Time of(Bytes size) const { return call + transfer_time(size, rate); }
};

struct HostSpec {
  CallCosts calls;
  Time transfer;                        ///< driver's part of a transfer: what the calling thread does not pay itself
  Time launch;                          ///< the same of a launch
  Time interrupt;                       ///< a hypervisor's part of an interrupt
  Time store;                           ///< of a doorbell
  Bytes line;                           ///< the most that one store carries
  Bytes core_register;                  ///< the most that one carries which is not combined
  Time core_to_core;                    ///< a cache line from one core to another
  std::optional<Bandwidth> copy;        ///< none: the application's memory is pinned
  std::optional<AllocationSpec> alloc;  ///< none: the pinned buffer is kept
};

struct MachineSpec {
  fabric::PcieLinkSpec link;
  fabric::HostMemorySpec memory;
  HostSpec host;
  fabric::DmaSpec dma;
  fabric::DramSpec dram;
  fabric::AxiSpec axi;
  KernelSpec kernel;
  std::size_t memory_channels;  ///< those that hold buffers
  Bytes channel_capacity;
};

/// What chooses where any choice must do: the random numbers of actors, and which of those that are ready runs first
/// (see RunOptions).
struct RunOrder {
  std::uint64_t seed = 1;
  std::uint64_t schedule_seed = 0;
};

/// Throws Error naming the key where numbers contradict each other.
MachineSpec machine_spec(const platform::Description& platform);

}  // namespace isthmus::offload::model
