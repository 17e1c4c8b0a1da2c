#pragma once

#include <cstddef>
#include <optional>

#include "isthmus/engine/port_array.hpp"
#include "isthmus/engine/timer.hpp"
#include "isthmus/stream/arbiter.hpp"
#include "isthmus/stream/vocabulary.hpp"

/// Several actors on one network (stacc table I). A packet stays whole: no beat of another comes between its own.
namespace isthmus {

/// Sends the packets of all actors in turn, one at a time: of N that have some, none waits for more than N - 1 packets.
class PacketArbiter {
 public:
  PortArray<In<NetPacket>> in;
  Out<NetPacket> out{"out"};

  explicit PacketArbiter(std::size_t users) : in(users, "in") {}
  void step();
  /// It ends with its users.
  bool done() const { return finished_; }

 private:
  RoundRobin turn_;
  std::optional<std::size_t> sending_;  ///< whose packet has not ended
  bool finished_ = false;
  Timer timer_;
};

/// Deals the packets that come, one to each actor in turn.
class PacketDealer {
 public:
  In<NetPacket> in{"in"};
  PortArray<Out<NetPacket>> out;

  explicit PacketDealer(std::size_t users) : out(users, "out") {}
  void step();

 private:
  std::size_t turn_ = 0;
};

}  // namespace isthmus
