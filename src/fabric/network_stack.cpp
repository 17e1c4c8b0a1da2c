#include "isthmus/fabric/network_stack.hpp"

#include <algorithm>

namespace isthmus::fabric {

Time NetworkStackSpec::beside_work() const {
  // A channel without a clock needs a latency above 0.
  return std::max(Time::fs(latency.femtoseconds() / 2) - packet, Time::ns(1));
}

int packets_under_way(const NetworkStackSpec& spec) {
  return kRing + static_cast<int>(spec.beside_work().seconds() / spec.packet.seconds());
}

void StackCore::step() {
  const bool any = sends_first_ ? send() || receive() : receive() || send();
  if (!any) timer_.wait(arrived, received, sent);
}

bool StackCore::receive() {
  const StackPacket* packet = arrived.front();
  if (packet == nullptr || !received.room()) return false;
  timer_.wait(packet_);
  received.push(arrived.read());
  sends_first_ = true;
  return true;
}

bool StackCore::send() {
  if (sent.front() == nullptr) return false;
  timer_.wait(packet_);
  leaving.push(sent.read());
  sends_first_ = false;
  return true;
}

}  // namespace isthmus::fabric
