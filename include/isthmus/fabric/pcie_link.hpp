#pragma once

#include <string>

#include "isthmus/engine/graph.hpp"
#include "isthmus/fabric/host_memory.hpp"
#include "isthmus/fabric/pcie.hpp"
#include "isthmus/fabric/pcie_device.hpp"
#include "isthmus/stream/pcie_interface.hpp"

namespace isthmus::fabric {

/// A link with both its ends in a graph: host memory behind the root complex on one side, the FPGA's PCIe block on the
/// other, whose ports are on the user clock.
struct PcieLink : PcieInterface {
  HostMemory& host;
  const PcieLane<2>& to_device;
  const PcieLane<1>& to_host;
  PcieReader& reader;
};

/// The names of a link's busy parts in reports.
inline constexpr const char* kHostToDevice = "PCIe host to device";
inline constexpr const char* kDeviceToHost = "PCIe device to host";
inline constexpr const char* kHostMemory = "host memory";
inline constexpr const char* kPcieReader = "PCIe reader";
inline constexpr const char* kPcieTransmitter = "PCIe transmitter";
inline constexpr const char* kPcieReceiver = "PCIe receiver";

/// Adds a link to `graph`. Throws Error naming the key where `spec` cannot be built.
PcieLink add_pcie_link(Graph& graph, const PcieLinkSpec& spec, const HostMemorySpec& memory);

/// The way of a read through root complex and host memory: what is left of the round trip.
Time completer_latency(const PcieLinkSpec& spec);

}  // namespace isthmus::fabric
