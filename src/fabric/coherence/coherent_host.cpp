#include "isthmus/fabric/coherence/coherent_host.hpp"

#include <utility>

namespace isthmus::fabric {
namespace {

constexpr int kMessages = 4;

/// The depth of the channel between a circuit's channel and its link's block: room for a full rate over the two clocks,
/// without a queue there.
constexpr int kOnTheWay = 4;

}  // namespace

// A request waits for an edge of the home's clock, and its answer takes a cycle.
Time CoherentHost::latency(const CoherenceSpec& spec) {
  return Time::seconds((Coherence::bridged_cycles(spec) + 2) / spec.clock.frequency.hertz());
}

CoherentHost::CoherentHost(Graph& graph, const CoherenceSpec& spec, Coherence& coherence, PinnedMemory& memory)
    : graph_(graph),
      coherence_(coherence),
      memory_(memory),
      spec_{.bandwidth = {spec.line * spec.clock.frequency.hertz()}, .latency = latency(spec)},
      line_(spec.line),
      actors_{.memory = coherence.home()} {}

void CoherentHost::attach(const PcieLinkSpec& link, const HostEnd& end) {
  const auto per_request = static_cast<int>(kMostPayload / line_);
  HomeBridge& bridge = coherence_.add_bridge(
      {.line = line_, .reads = link.tags, .lines = std::min(link.tags * per_request, kLinesOfABridge)});
  bridges_.push_back(&bridge);
  const Time hand_over = in_host(link);
  graph_.connect(end.port.requests, bridge.requests,
                 {.depth = most_requests(link), .latency_time = hand_over, .return_latency_time = kHandOver});
  const auto back = [](int depth) { return ChannelOptions{.depth = depth, .return_latency_time = kHandOver}; };
  graph_.connect(bridge.dllps, end.dllps, back(kOwed));
  graph_.connect(bridge.messages, end.messages.in, back(kMessages));
  graph_.connect(bridge.answers, end.completer.in, back(most_answers(link)));
}

LineLink add_line_link(Graph& graph, const PcieLinkSpec& spec, CoherentHost& host, const Clock& clock,
                       const SharedSpace* space) {
  PcieLink link = add_pcie_link(graph, spec, host);
  const auto words = static_cast<int>(spec.tags * kMostPayload / kWordBytes);
  const ActorOptions clocked{.clock = clock, .group = kDeviceGroup};
  auto& channel =
      graph.add<PcieChannel>("PCIe channel", clocked, PcieChannelSpec{.words = words, .writes = words, .space = space});
  auto& end = graph.add<WaitingHost>("end of the channel", {.group = kHostGroup});
  auto& registers = graph.add<NoRegisters>("no registers", {.clock = spec.user_clock, .group = kDeviceGroup});
  graph.connect(channel.reads, link.read_requests, {.depth = kOnTheWay});
  graph.connect(link.read_data, channel.data, {.depth = words});
  graph.connect(channel.writes, link.write_requests, {.depth = kOnTheWay});
  graph.connect(channel.write_data, link.write_data, {.depth = kOnTheWay});
  graph.connect(link.writes_done, channel.written, {.depth = kOnTheWay});
  graph.connect(host.bridge().posted, channel.posted, {.depth = spec.posted_header_credits});
  graph.connect(channel.messages, link.device_messages);
  graph.connect(link.device_mmio, registers.in);
  graph.connect(end.mmio, link.mmio, {.depth = kMessages, .latency_time = kHandOver, .return_latency_time = kHandOver});
  graph.connect(link.host_messages, end.messages,
                {.depth = kMessages, .latency_time = link.root_complex, .return_latency_time = kHandOver});
  return {.link = std::move(link), .channel = channel};
}

}  // namespace isthmus::fabric
