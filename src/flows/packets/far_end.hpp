#pragma once

#include <span>
#include <vector>

#include "flows/packets/packets_beside.hpp"
#include "flows/stream/configurer.hpp"
#include "flows/stream/stalls.hpp"
#include "isthmus/engine/graph.hpp"
#include "isthmus/fabric/network.hpp"
#include "isthmus/platform/part.hpp"

namespace isthmus::program {

/// Sends packets, each when the line would have carried so many at the load that is offered, or as soon after as there
/// is room.
class PacketSender {
 public:
  Out<fabric::PacketPiece> out{"out"};
  Configurers configurers;

  PacketSender(const Job& job, const fabric::NetworkSpec& line, std::size_t waits_for)
      : configurers(waits_for),
        packets_(packets_of(job.application)),
        count_(packet_count(job)),
        line_(line),
        stalls_(job.faults.stall, kHostStall) {}

  void step();
  bool done() const { return static_cast<int>(sent_.size()) == count_; }

  const std::vector<Time>& sent() const { return sent_; }
  std::int64_t stalled() const { return stalls_.count(); }

 private:
  const Packets& packets_;
  int count_;
  fabric::NetworkSpec line_;
  Time due_;
  std::vector<std::byte> bytes_;
  std::vector<Time> sent_;
  Timer timer_;
  Stalls stalls_;
};

/// Nothing comes any more.
struct Over {};

class PacketSink {
 public:
  In<fabric::PacketPiece> in{"in"};
  PortArray<Out<Over>> over;  ///< closed with the last packet

  PacketSink(PacketsBeside& packets, const Faults& faults, std::size_t listeners)
      : over(listeners, "over"), packets_(packets), faults_(faults), stalls_(faults.stall, kHostStall) {}
  void step();

  const std::vector<Time>& received() const { return received_; }
  std::int64_t stalled() const { return stalls_.count(); }

 private:
  void begin_packet();

  PacketsBeside& packets_;
  std::vector<Time> received_;
  Timer timer_;
  Faults faults_;
  Stalls stalls_;
};

/// The times at which packets were sent, and at which some came back.
struct PacketTimes {
  std::vector<Time> sent;
  std::vector<Time> received;
};

/// The times of the packets that came back in this order. Throws Error where none has.
FlowTimes times_of(const PacketTimes& packets, std::span<const int> order);

/// Threads of the board's host that a network's far end has to do with.
struct FarHost {
  std::size_t configurers = 0;  ///< it sends no packet before they have told the kernel what it must know
  std::size_t listeners = 0;    ///< they are told when nothing comes back any more
};

/// What is at the other end of a network's lines, and the lines, in a graph.
class FarEnd {
 public:
  /// The far end of a job's packets, with its faults. Throws Error for what a model's network is not made to carry.
  FarEnd(Graph& graph, const Job& job, const fabric::NetworkSpec& line, PacketsBeside& beside,
         const FarHost& host = {});

  /// Ties who takes packets from the line to the board or its host, and who puts some on the one from there.
  void connect(In<fabric::PacketPiece>& arriving);
  void connect(Out<fabric::PacketPiece>& leaving);

  Configurers& configurers() { return sender_.configurers; }
  /// For the listener, if there is one.
  Out<Over>& over() { return sink_.over[0]; }

  platform::PartPlan part_in() const { return part(in_); }
  platform::PartPlan part_out() const { return part(out_); }
  ActorId sink() const { return graph_.id(sink_); }
  /// Packets that its lines dropped, and pauses of either end.
  std::int64_t corrupted() const { return in_.corrupted() + out_.corrupted(); }
  std::int64_t stalled() const { return sender_.stalled() + sink_.stalled(); }
  PacketTimes times() const { return {.sent = sender_.sent(), .received = sink_.received()}; }

 private:
  platform::PartPlan part(const fabric::NetworkLine& line) const;

  Graph& graph_;
  fabric::NetworkSpec spec_;
  PacketSender& sender_;
  PacketSink& sink_;
  fabric::NetworkLine& in_;
  fabric::NetworkLine& out_;
};

}  // namespace isthmus::program
