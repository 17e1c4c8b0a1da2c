#pragma once

#include <cstddef>
#include <optional>

#include "isthmus/fabric/host_memory.hpp"
#include "isthmus/stream/pinned_memory.hpp"

namespace isthmus::fabric {

/// What lies between root ports and cores and the host's memory: takes what they ask for in the order in which it came,
/// ties going to the lower client key, asks cache and channels when it is done, and answers. It alone touches the
/// bytes.
///
/// Any number of requests are under way at once: data come a latency later (Completer). Cache and channels are parts of
/// this actor, for a channel between them would be a latency that no board names.
class HostInterconnect {
 public:
  PortArray<In<HostRequest>> in;  ///< requests of each link (of all links, behind a socket link), then of each core
  PortArray<Out<Dllps>> dllps;    ///< DLLPs that become due when requests are taken; none for a socket link
  PortArray<Out<HostAnswer>> answers;  ///< answers to each link
  PortArray<Out<DeviceMessage>> messages;
  PortArray<Out<HostMoved>> moved;  ///< finished moves, to each core

  HostInterconnect(const HostMemorySpec& spec, int links, int cores);

  void step();
  /// It ends with the root ports.
  bool done() const { return finished_; }

  PinnedMemory& memory() { return memory_; }

 private:
  void serve(std::size_t client, const HostRequest& request);
  void read(std::size_t client, const HostRequest& request);
  void answer(const HostRequest& request, Time latency);
  void write(const HostRequest& request);
  void move(std::size_t core, const HostRequest& request);

  Timer timer_;
  Time latency_;
  std::size_t first_core_;  ///< index of the first core among the clients
  std::optional<HostCache> cache_;
  HostChannels channels_;
  PinnedMemory memory_;
  bool finished_ = false;
};

}  // namespace isthmus::fabric
