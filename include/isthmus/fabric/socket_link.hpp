#pragma once

#include "isthmus/fabric/host_memory.hpp"

/// The link between two sockets of a host, of which one has the root ports and the other the memory. What crosses it is
/// on its way for half of the round trip's latency, as the channel behind it says, and keeps it busy for its data:
/// the next follows when those have gone. Read requests and headers take no time of it.
namespace isthmus::fabric {

/// The names of its two directions in reports.
inline constexpr const char* kToOtherSocket = "socket link to memory";
inline constexpr const char* kFromOtherSocket = "socket link from memory";

/// Takes what the root ports ask for in the order in which it came, ties going to the lower client key.
class ToOtherSocket {
 public:
  PortArray<In<HostRequest>> in;
  PortArray<Out<Dllps>> dllps;  ///< DLLPs that become due when requests are taken
  Out<HostRequest> out{"out"};

  ToOtherSocket(const SocketLinkSpec& spec, int links) : in(links, "in"), dllps(links, "dllps"), rate_(spec.rate) {}
  void step();
  bool done() const { return finished_; }

 private:
  bool cross(std::size_t link);

  Timer timer_;
  Bandwidth rate_;
  bool finished_ = false;
};

/// Brings answers to their links, in the order in which they came.
class FromOtherSocket {
 public:
  PortArray<In<HostAnswer>> in;
  PortArray<Out<HostAnswer>> out;

  FromOtherSocket(const SocketLinkSpec& spec, int links) : in(links, "in"), out(links, "out"), rate_(spec.rate) {}
  void step();
  bool done() const { return finished_; }

 private:
  Timer timer_;
  Bandwidth rate_;
  bool finished_ = false;
};

}  // namespace isthmus::fabric
