#include "flows/stream/shared_network.hpp"

#include "application/unclocked.hpp"
#include "isthmus/stream/network_users.hpp"

namespace isthmus::program {

void SharedNetwork::tie() {
  if (takers_.size() == 1)
    network_.connect(*takers_.front());
  else if (!takers_.empty())
    deal();
  if (senders_.size() == 1)
    network_.connect(*senders_.front().packets, senders_.front().latency);
  else if (!senders_.empty())
    arbitrate();
}

void SharedNetwork::deal() {
  auto& dealer =
      graph_.add<PacketDealer>("packet dealer", {.clock = place_.clock, .group = kDeviceGroup}, takers_.size());
  actors_.push_back(graph_.id(dealer));
  network_.connect(dealer.in);
  for (std::size_t user = 0; user < takers_.size(); ++user) graph_.connect(dealer.out[user], *takers_[user], beats());
}

void SharedNetwork::arbitrate() {
  auto& arbiter =
      graph_.add<PacketArbiter>("packet arbiter", {.clock = place_.clock, .group = kDeviceGroup}, senders_.size());
  actors_.push_back(graph_.id(arbiter));
  for (std::size_t user = 0; user < senders_.size(); ++user)
    graph_.connect(*senders_[user].packets, arbiter.in[user], beats(senders_[user].latency));
  network_.connect(arbiter.out, 1);
}

ChannelOptions SharedNetwork::beats(int latency) const {
  ChannelOptions options = unclocked(place_.fifo);
  options.latency = latency;
  return options;
}

}  // namespace isthmus::program
