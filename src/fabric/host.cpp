#include "isthmus/fabric/host.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isthmus/base/error.hpp"
#include "isthmus/stream/pcie_interface.hpp"

namespace isthmus::fabric {
namespace {

/// Tokens that a read is at most: one more where it begins between two boundaries of completions.
int most_parts(const PcieLinkSpec& spec) {
  return static_cast<int>((spec.max_read_request.count - 1) / kMostPayload + 2);
}

/// Requests that wait for the host: what the receive buffer has room for, and the rest of a read of several parts.
int waiting(const PcieLinkSpec& spec) {
  return spec.posted_header_credits + spec.nonposted_header_credits + most_parts(spec);
}

int most_answers(const PcieLinkSpec& spec) {
  return spec.tags * most_parts(spec);
}

}  // namespace

Time in_host(const PcieLinkSpec& spec) {
  return Time::fs(std::min(kHandOver, spec.flight).femtoseconds() / 4);
}

Host::Host(Graph& graph, const HostMemorySpec& spec, int links)
    : graph_(graph),
      spec_(spec),
      links_(links),
      memory_(graph.add<HostMemory>(kHostMemory, {.group = kHostGroup}, spec, links)) {}

DelayLineSpec Host::answers(const PcieLinkSpec& link) const {
  return {.entries = most_answers(link), .least = spec_.latency, .in_order = true};
}

void Host::attach(const PcieLinkSpec& link, const HostEnd& end) {
  if (attached_ == links_) throw Error(fmt::format("a host: expected at most {} links, got another", links_));
  const auto place = static_cast<std::size_t>(attached_++);
  const auto channel = [&link](int depth) -> ChannelOptions {
    return {.depth = depth, .latency_time = in_host(link), .return_latency_time = kHandOver};
  };
  graph_.connect(end.port.requests, memory_.in[place], channel(waiting(link)));
  graph_.connect(memory_.answers[place], end.completer.in, channel(most_answers(link)));
  graph_.connect(memory_.messages[place], end.messages.in, channel(waiting(link)));
  graph_.connect(memory_.dllps[place], end.dllps,
                 {.depth = kOwed, .latency_time = in_host(link) + kHandOver, .return_latency_time = kHandOver});
}

}  // namespace isthmus::fabric
