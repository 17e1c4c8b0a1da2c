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

/// Throws Error naming the key where numbers contradict each other.
MachineSpec machine_spec(const platform::Description& platform);

}  // namespace isthmus::offload::model
