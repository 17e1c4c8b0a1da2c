#pragma once

#include <optional>

#include "isthmus/fabric/axi.hpp"
#include "isthmus/fabric/coherence/coherent_cache.hpp"
#include "isthmus/fabric/coherence/line_wire.hpp"
#include "isthmus/fabric/coherence/page_table.hpp"
#include "isthmus/fabric/coherence/snoop_port.hpp"
#include "isthmus/fabric/core_memory.hpp"
#include "isthmus/fabric/dma.hpp"
#include "isthmus/fabric/dram.hpp"
#include "isthmus/fabric/host_memory.hpp"
#include "isthmus/fabric/network.hpp"
#include "isthmus/fabric/network_stack.hpp"
#include "isthmus/fabric/pcie.hpp"
#include "isthmus/fabric/storage.hpp"
#include "isthmus/platform/section.hpp"

/// From the keys of a part to the spec of its actors in fabric. Each function has its keys in a table of
/// src/platform/kinds.
namespace isthmus::platform::kinds {

fabric::PcieLinkSpec pcie_link_spec(const Section& pcie);
fabric::NetworkSpec network_spec(const Section& network);
fabric::NetworkStackSpec network_stack_spec(const Section& stack);
fabric::StorageSpec storage_spec(const Section& storage);
fabric::HostMemorySpec host_memory_spec(const Section& memory);
fabric::HostCacheSpec host_cache_spec(const Section& llc);
/// The FPGA's cache.
fabric::CoherentCacheSpec coherent_cache_spec(const Section& cache);
/// None if it is switched off.
std::optional<fabric::PageTableSpec> page_table_spec(const Section& translation);
/// None where pages have all been entered before a circuit starts.
std::optional<fabric::PageWalkSpec> page_walk_spec(const Section& translation);
/// `line` is the size of a line in bytes.
fabric::LineWireSpec line_wire_spec(const Section& capi, std::int64_t line);
fabric::SocketLinkSpec socket_link_spec(const Section& numa);
fabric::IommuSpec iommu_spec(const Section& iommu);
fabric::DramSpec dram_spec(const Section& dram);
/// The second cache of a processor on the FPGA's chip.
fabric::CoherentCacheSpec l2_spec(const Section& l2);
/// None if it is switched off.
std::optional<fabric::PrefetchSpec> prefetch_spec(const Section& prefetch);
fabric::SnoopPortSpec snoop_port_spec(const Section& interconnect);
/// A port whose bursts are whole lines of `line` bytes. Throws Error where no AXI burst is as long.
fabric::AxiSpec port_spec(const Section& port, Bytes line);
/// Throws Error where no AXI burst is as long as the part's.
fabric::AxiSpec axi_spec(const Section& axi);
/// An engine that asks `pcie` for its data.
fabric::DmaSpec dma_spec(const Section& dma, const Section& pcie);

}  // namespace isthmus::platform::kinds
