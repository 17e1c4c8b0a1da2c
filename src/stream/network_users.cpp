#include "isthmus/stream/network_users.hpp"

#include "isthmus/stream/all_closed.hpp"

namespace isthmus {

void PacketArbiter::step() {
  if (!sending_) sending_ = turn_.next(in);
  if (!sending_) {
    finished_ = all_closed(in);
    if (!finished_) timer_.wait(in);
    return;
  }
  const NetPacket& beat = in[*sending_].read_in_place();
  out.slot() = beat;
  if (beat.eop) sending_.reset();
}

void PacketDealer::step() {
  const NetPacket& beat = in.read_in_place();
  out[turn_].slot() = beat;
  if (beat.eop) turn_ = (turn_ + 1) % out.size();
}

}  // namespace isthmus
