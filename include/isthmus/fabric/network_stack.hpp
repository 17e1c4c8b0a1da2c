#pragma once

#include <cstdint>

#include "isthmus/stream.hpp"

/// The host's network card and its software as packets meet it: cores that work on each as it comes and as it goes.
namespace isthmus::fabric {

struct NetworkStackSpec {
  Time latency;  ///< time of a packet through the card and the stack, in and out together, with a core's work
  int cores;     ///< cores that packets go to in turn, as from a card with a queue for each
  Time packet;   ///< time that a core works on a packet, each way

  /// The time that a packet takes each way besides a core's work.
  Time beside_work() const;
};

/// A packet that lies in the host's memory.
struct StackPacket {
  std::int64_t number;
};

/// A core, without a clock: packets that come and packets that go have its time in turn. One that comes waits in the
/// card's queue until whoever receives has room, so that those that go are never held by it.
class StackCore {
 public:
  In<StackPacket> arrived{"arrived"};
  Out<StackPacket> received{"received"};
  In<StackPacket> sent{"sent"};
  Out<StackPacket> leaving{"leaving"};

  explicit StackCore(const NetworkStackSpec& spec) : packet_(spec.packet) {}
  void step();

 private:
  bool receive();
  bool send();

  Time packet_;
  bool sends_first_ = false;
  Timer timer_;
};

/// The entries of one ring of a card: drivers set up 256.
inline constexpr int kRing = 256;
/// Packets between a core and who takes them from it: a ring of them, and those that are on their way for
/// NetworkStackSpec::beside_work.
int packets_under_way(const NetworkStackSpec& spec);

/// The name of the cores in reports.
inline constexpr const char* kStackCore = "network stack";

}  // namespace isthmus::fabric
