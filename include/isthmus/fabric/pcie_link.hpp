#pragma once

#include "isthmus/engine/graph.hpp"
#include "isthmus/fabric/host.hpp"
#include "isthmus/fabric/pcie.hpp"
#include "isthmus/fabric/pcie_device.hpp"
#include "isthmus/stream/pcie_interface.hpp"

namespace isthmus::fabric {

/// The parts of a link that work.
struct PcieLinkActors {
  HostActors host;
  ActorId to_device;
  ActorId to_host;
  ActorId reader;
  ActorId transmitter;
  ActorId receiver;

  template <class Visit>
  void visit(const Visit& visit) {
    host.visit(visit);
    for (ActorId* id : {&to_device, &to_host, &reader, &transmitter, &receiver}) visit(*id);
  }
};

/// A link with both its ends in a graph: a root port of the host on one side, the FPGA's PCIe block on the other, whose
/// ports are on the user clock.
struct PcieLink : PcieInterface {
  HostMemorySpec host;
  RootPort& root_port;
  const PcieLane& to_device;
  const PcieLane& to_host;
  PcieReader& reader;
  PcieLinkActors actors;
};

/// The names of a link's busy parts in reports.
inline constexpr const char* kHostToDevice = "PCIe host to device";
inline constexpr const char* kDeviceToHost = "PCIe device to host";
inline constexpr const char* kRootPort = "root port";
inline constexpr const char* kCompleter = "completer";
inline constexpr const char* kPcieReader = "PCIe reader";
inline constexpr const char* kPcieTransmitter = "PCIe transmitter";
inline constexpr const char* kPcieReceiver = "PCIe receiver";

/// Adds a link to `graph`, attached to a host of the same graph. Throws Error where `spec` cannot be built.
PcieLink add_pcie_link(Graph& graph, const PcieLinkSpec& spec, LinkHost& host);

/// Adds a link to a host that has no other link.
PcieLink add_pcie_link(Graph& graph, const PcieLinkSpec& spec, const HostMemorySpec& memory);

/// The ports of a part of the device that reads and writes host memory by itself.
struct LinkUser {
  Out<PcieReadReq> reads{"reads"};
  In<PcieReadResp> data{"data"};
  Out<PcieWriteApply> writes{"writes"};
  Out<PcieWriteData> write_data{"write_data"};
  In<PcieWriteDone> written{"written"};
};

/// The number of tokens that may wait in the channels to and from the link.
struct LinkUse {
  int requests = 2;  ///< read requests that wait, and write requests that wait
  int words = 2;     ///< words of answers that wait, and of writes: at least all that the user asks for at once
};

void connect(Graph& graph, LinkUser& user, PcieInterface& link, const LinkUse& use);

/// A part that uses no link by itself: only host software accesses it.
struct NoUser : LinkUser {
  void step() {}
  bool done() const { return true; }
};

/// Registers that nobody touches.
struct NoRegisters {
  In<MmioRequest> in{"in"};
  /// They end with the link.
  void step() { in.read(); }
};

/// Host software that only waits for a message of the device.
class WaitingHost {
 public:
  Out<MmioRequest> mmio{"mmio"};
  In<DeviceMessage> messages{"messages"};
  void step() {
    messages.read();
    finished_ = true;
  }
  bool done() const { return finished_; }

 private:
  bool finished_ = false;
};

/// The time of a read through root complex, host memory and root complex: the rest of the round trip.
Time completer_latency(const PcieLinkSpec& spec);

/// The part of a round trip that the link and an idle read of the memory take; the round trip must be longer.
Time least_round_trip(const PcieLinkSpec& spec, const HostMemorySpec& memory);

/// The time of one direction through the root complex, the only part that doorbells, interrupts and loads of registers
/// pass of the host: half of `completer_latency` without the memory's time.
Time root_complex_latency(const PcieLinkSpec& spec, const HostMemorySpec& memory);

}  // namespace isthmus::fabric
