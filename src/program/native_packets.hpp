#pragma once

#include "isthmus/native/link.hpp"
#include "program/native.hpp"
#include "program/native_memory.hpp"
#include "program/run_threads.hpp"

namespace isthmus::program {

/// A network on threads: two actors, of which one has the packets that come and the other takes those that leave.
class ThreadNetwork final : public NetworkEnds {
 public:
  /// So many beats wait before the kernel, and behind it.
  ThreadNetwork(Graph& graph, Out<NetPacket>& arriving, In<NetPacket>& leaving, int beats)
      : graph_(graph), arriving_(arriving), leaving_(leaving), beats_(beats) {}
  void connect(In<NetPacket>& packets) override { graph_.connect(arriving_, packets, on_threads(beats_)); }
  void connect(Out<NetPacket>& packets, int) override { graph_.connect(packets, leaving_, on_threads(beats_)); }

 private:
  Graph& graph_;
  Out<NetPacket>& arriving_;
  In<NetPacket>& leaving_;
  int beats_;
};

/// What a kernel of packets has on threads.
struct PacketPlace {
  NetworkEnds& network;
  native::Link& control;  ///< carries the host's control messages, if there are some
  NativeMemories& memories;
};

/// Adds the kernel of a job's packets to a graph.
void add_packet_kernel(Graph& graph, const Job& job, const KernelPlace& place, const PacketPlace& with);

/// Runs an application on threads whose messages are packets, in memory of this machine: they lie there before the
/// measured time, a batch after the other, and are compared after it.
NativeRun run_packets_in_memory(const Job& job);

/// The same over a line between two network interfaces or sockets of this machine, with a neighbour at its other end.
NativeRun run_packets_over_line(const Job& job);

/// Tells whether a line of the system carries packets, which has ends of its own.
bool over_line(const Packets& packets);

/// Runs an application with packets, by the transport that it names (Packets::transport).
NativeRun run_packets(const Job& job);

}  // namespace isthmus::program
