#include "isthmus/fabric/host.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isthmus/base/error.hpp"
#include "isthmus/fabric/iommu.hpp"
#include "isthmus/stream/pcie_interface.hpp"

namespace isthmus::fabric {
namespace {

/// Requests that lie between the sockets.
constexpr int kBetweenSockets = 64;

/// The least number of requests that a core has under way: it waits for one before the next but one.
constexpr int kMovesOfACore = 4;

/// The largest number of tokens of a read. There is one more than its bytes need if it begins between two boundaries of
/// completions.
int most_parts(const PcieLinkSpec& spec) {
  return static_cast<int>((spec.max_read_request.count - 1) / most_in_token(spec) + 2);
}

ChannelOptions channel(int depth, Time latency) {
  return {.depth = depth, .latency_time = latency, .return_latency_time = kHandOver};
}

Time one_way(Time time) {
  return Time::fs(time.femtoseconds() / 2);
}

}  // namespace

// The number of packets for which the receive buffer has room, and the further tokens of a read of several parts.
int most_requests(const PcieLinkSpec& spec) {
  return spec.posted_header_credits * tokens_of_packet(spec) + spec.nonposted_header_credits + most_parts(spec);
}

int most_answers(const PcieLinkSpec& spec) {
  return spec.tags * most_parts(spec);
}

Time in_host(const PcieLinkSpec& spec) {
  return Time::fs(std::min(kHandOver, spec.flight).femtoseconds() / 4);
}

Host::Host(Graph& graph, const HostMemorySpec& spec, int links, int cores)
    : graph_(graph),
      spec_(spec),
      links_(links),
      cores_(cores),
      interconnect_(graph.add<HostInterconnect>(kHostMemory, {.group = kHostGroup}, spec, links, cores)),
      actors_{.memory = graph.id(interconnect_)} {
  if (spec.socket_link) build_socket_link(*spec.socket_link);
}

void Host::build_socket_link(const SocketLinkSpec& spec) {
  const Time there = one_way(spec.round_trip());
  from_other_socket_ = spec.round_trip() - there;
  to_memory_ = &graph_.add<ToOtherSocket>(kToOtherSocket, {.group = kHostGroup}, spec, links_);
  from_memory_ = &graph_.add<FromOtherSocket>(kFromOtherSocket, {.group = kHostGroup}, spec, links_);
  actors_.socket_link = {graph_.id(*to_memory_), graph_.id(*from_memory_)};
  graph_.connect(to_memory_->out, interconnect_.in[0], channel(kBetweenSockets, there));
}

// A line that the cache holds comes sooner than one that it does not hold, and one channel may have less to do than
// another.
std::optional<DelayLineSpec> Host::overtaking(const PcieLinkSpec& link) const {
  if (!spec_.cache && !spec_.interleave) return {};
  const Time least = spec_.cache ? std::min(spec_.cache->hit, spec_.cache->miss) : spec_.latency;
  return DelayLineSpec{.entries = most_answers(link), .least = least};
}

/// The port from which requests leave the root port; on a host with an IOMMU, the one from which they leave translated.
/// A request is there half a register before it is taken.
Out<HostRequest>& Host::translated(const PcieLinkSpec& link, RootPort& port) {
  if (!spec_.iommu) return port.requests;
  auto& iommu = graph_.add<Iommu>(kIommu, {.group = kHostGroup}, *spec_.iommu);
  graph_.connect(port.requests, iommu.in, channel(most_requests(link), one_way(in_host(link))));
  actors_.iommu = graph_.id(iommu);
  return iommu.out;
}

void Host::attach_core(Out<HostRequest>& moves, In<HostMoved>& moved) {
  if (attached_cores_ == cores_) throw Error(fmt::format("a host: expected at most {} cores, got another", cores_));
  const auto core = static_cast<std::size_t>(attached_cores_++);
  const std::size_t first = interconnect_.in.size() - interconnect_.moved.size();
  graph_.connect(moves, interconnect_.in[first + core], channel(kMovesOfACore, kHandOver));
  graph_.connect(interconnect_.moved[core], moved, channel(kMovesOfACore, kHandOver));
}

void Host::attach(const PcieLinkSpec& link, const HostEnd& end) {
  if (attached_ == links_) throw Error(fmt::format("a host: expected at most {} links, got another", links_));
  const auto place = static_cast<std::size_t>(attached_++);
  const Time hand_over = in_host(link);
  Out<HostRequest>& requests = translated(link, end.port);
  graph_.connect(requests, to_memory_ != nullptr ? to_memory_->in[place] : interconnect_.in[place],
                 channel(most_requests(link), spec_.iommu ? hand_over - one_way(hand_over) : hand_over));
  graph_.connect(to_memory_ != nullptr ? to_memory_->dllps[place] : interconnect_.dllps[place], end.dllps,
                 channel(kOwed, hand_over + kHandOver));
  connect_answers(link, end, place);
}

void Host::connect_answers(const PcieLinkSpec& link, const HostEnd& end, std::size_t place) {
  const Time hand_over = in_host(link);
  graph_.connect(interconnect_.messages[place], end.messages.in,
                 channel(most_requests(link), from_other_socket_ + hand_over));
  Out<HostAnswer>* answers = &interconnect_.answers[place];
  if (from_memory_ != nullptr) {
    graph_.connect(*answers, from_memory_->in[place], channel(most_answers(link), from_other_socket_));
    answers = &from_memory_->out[place];
  }
  graph_.connect(*answers, end.completer.in, channel(most_answers(link), hand_over));
}

}  // namespace isthmus::fabric
