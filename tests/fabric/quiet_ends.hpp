#pragma once

#include "engine/plain_actors.hpp"
#include "isthmus/fabric/pcie_link.hpp"

namespace isthmus::fabric {

/// Host software that does nothing until all traffic is long over.
struct Idle {
  Out<MmioRequest> requests;
  In<DeviceMessage> messages;
  Timer timer;
  bool over = false;
  void step() {
    timer.wait(Time::ms(500));  // long after what any traffic takes on the slowest link and memory
    over = true;
  }
  bool done() const { return over; }
};

/// Takes what comes and never replies.
struct SilentRegisters {
  In<MmioRequest> requests;
  Out<DeviceMessage> replies;
  void step() { requests.read(); }
  bool done() const { return false; }
};

/// Puts them at the ends of a link over which host and device say nothing to each other.
inline void connect_quiet_ends(Graph& graph, PcieLink& link, const Clock& clock) {
  auto& idle = graph.add<Idle>("idle host");
  auto& registers = graph.add<SilentRegisters>("no registers", {.clock = clock});
  graph.connect(idle.requests, link.mmio, wire(4));
  graph.connect(link.host_messages, idle.messages, wire(4));
  graph.connect(link.device_mmio, registers.requests);
  graph.connect(registers.replies, link.device_messages);
}

}  // namespace isthmus::fabric
