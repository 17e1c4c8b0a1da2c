#pragma once

#include "isthmus/fabric/host_memory.hpp"
#include "isthmus/fabric/pcie.hpp"
#include "isthmus/platform/description.hpp"
#include "isthmus/platform/part.hpp"
#include "isthmus/stream/host_link.hpp"

namespace isthmus::platform {

/// The PCIe link of a platform: its keys link.pcie.*.
fabric::PcieLinkSpec pcie_link_spec(const Description& platform);

/// The host link of a platform: its keys stream.*, host.mmio.store and host.cache.core_to_core, on the link's user
/// clock.
HostLinkSpec host_link_spec(const Description& platform);

/// What allocating the pools of a host link costs (init_buf_pools): one call into the kernel and the pages, where a
/// rate is known.
Time pool_setup(const Description& platform, const HostLinkSpec& spec);

/// The host's memory: its keys host.memory.*.
fabric::HostMemorySpec host_memory_spec(const Description& platform);

/// The parts that a device's reads of host memory pass, in their order, and those that its writes pass.
std::vector<PartPlan> parts_of_reads();
std::vector<PartPlan> parts_of_writes();

}  // namespace isthmus::platform
