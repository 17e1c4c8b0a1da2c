#pragma once

#include <vector>

#include "isthmus/application/kernel.hpp"
#include "isthmus/engine/graph.hpp"

namespace isthmus::program {

/// A network at which several actors of a kernel may be. One by itself is tied to it as if there were nothing between;
/// otherwise packets are dealt to those that take some, and those that send some have their turns.
class SharedNetwork final : public NetworkEnds {
 public:
  SharedNetwork(Graph& graph, const KernelPlace& place, NetworkEnds& network)
      : graph_(graph), place_(place), network_(network) {}
  void connect(In<NetPacket>& packets) override { takers_.push_back(&packets); }
  void connect(Out<NetPacket>& packets, int latency) override { senders_.push_back({&packets, latency}); }

  /// Ties them, once all are there.
  void tie();
  /// The actors between them and the network.
  const std::vector<ActorId>& actors() const { return actors_; }

 private:
  struct Sender {
    Out<NetPacket>* packets;
    int latency;
  };
  void deal();
  void arbitrate();
  ChannelOptions beats(int latency = 1) const;

  Graph& graph_;
  const KernelPlace& place_;
  NetworkEnds& network_;
  std::vector<In<NetPacket>*> takers_;
  std::vector<Sender> senders_;
  std::vector<ActorId> actors_;
};

}  // namespace isthmus::program
