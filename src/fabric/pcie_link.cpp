#include "isthmus/fabric/pcie_link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "isthmus/base/error.hpp"

namespace isthmus::fabric {
namespace {

// Cycles of the user clock from a read request to its TLP and from the first completion to its first word: PcieReader,
// PcieTransmitter and PcieReceiver, one register each, and one cycle to meet the clock's edge.
constexpr double kDeviceCycles = 4;

double period(const PcieLinkSpec& spec) {
  return 1 / spec.user_clock.frequency.hertz();
}

void check(const PcieLinkSpec& spec, const HostMemorySpec& memory) {
  if (spec.max_payload.count > kMaxPayload)
    throw Error(
        fmt::format("a link's largest payload: expected at most {} B, got {} B", kMaxPayload, spec.max_payload.count));
  if (posted_packets(spec) < 1)
    throw Error(fmt::format("a link's posted credits: expected room for a packet of {} B, got {} and {} x {} B",
                            spec.max_payload.count, spec.posted_header_credits, spec.posted_data_credits,
                            kDataCreditBytes));
  if (spec.round_trip <= least_round_trip(spec, memory))
    throw Error(fmt::format("a link's round trip: expected more than the {} that link and host memory take, got {}",
                            to_string(least_round_trip(spec, memory)), to_string(spec.round_trip)));
}

/// Packets that the flight holds, the smallest included; the tokens of a large one start together.
int on_the_way(const PcieLinkSpec& spec) {
  const double smallest = static_cast<double>(spec.completion_overhead.count) / raw_bandwidth(spec).bytes_per_second;
  return static_cast<int>(spec.flight.seconds() / smallest) + 2 * tokens_of_packet(spec);
}

/// Answers, or accesses of host software, that can wait for the lane.
int waiting(const PcieLinkSpec& spec) {
  return static_cast<int>(spec.tags * ((spec.max_read_request.count - 1) / kMostPayload + 1));
}

/// Packets that the transmitter has done before the lane takes them.
constexpr int kDone = 32;

}  // namespace

Time completer_latency(const PcieLinkSpec& spec) {
  return spec.round_trip - Time::seconds(2 * spec.flight.seconds() + kDeviceCycles * period(spec));
}

Time least_round_trip(const PcieLinkSpec& spec, const HostMemorySpec& memory) {
  return spec.round_trip - completer_latency(spec) + memory.latency;
}

Time root_complex_latency(const PcieLinkSpec& spec, const HostMemorySpec& memory) {
  return Time::fs((completer_latency(spec) - memory.latency).femtoseconds() / 2);
}

void connect(Graph& graph, LinkUser& user, PcieInterface& link, const LinkUse& use) {
  graph.connect(user.reads, link.read_requests, {.depth = use.requests});
  graph.connect(link.read_data, user.data, {.depth = use.words});
  graph.connect(user.writes, link.write_requests, {.depth = use.requests});
  graph.connect(user.write_data, link.write_data, {.depth = use.words});
  graph.connect(link.writes_done, user.written, {.depth = use.requests});
}

PcieLink add_pcie_link(Graph& graph, const PcieLinkSpec& spec, const HostMemorySpec& memory) {
  Host host(graph, memory);
  return add_pcie_link(graph, spec, host);
}

PcieLink add_pcie_link(Graph& graph, const PcieLinkSpec& spec, Host& host) {
  const HostMemorySpec& memory = host.spec();
  check(spec, memory);
  const ActorOptions block{.clock = spec.user_clock, .group = kDeviceGroup};
  const ActorOptions words{
      .clock = spec.user_clock, .initiation_interval = cycles_per_word(spec), .group = kDeviceGroup};
  const ActorOptions of_host{.group = kHostGroup};
  const ActorOptions lane{.group = kLinkGroup};
  auto& port = graph.add<RootPort>(kRootPort, of_host, spec, host.next());
  auto& completer = graph.add<Completer>(kCompleter, of_host, host.overtaking(spec));
  auto& messages = graph.add<MessageQueue>("messages", of_host);
  auto& mmio = graph.add<MmioPort>("host MMIO", of_host);
  auto& down = graph.add<PcieLane>(kHostToDevice, lane, spec, std::size_t{2});
  auto& up = graph.add<PcieLane>(kDeviceToHost, lane, spec, std::size_t{1});
  auto& reader = graph.add<PcieReader>(kPcieReader, block, spec);
  auto& transmitter = graph.add<PcieTransmitter>(kPcieTransmitter, words, spec);
  auto& receiver = graph.add<PcieReceiver>(kPcieReceiver, words, spec);
  host.attach(spec, {port, completer, messages, down.dllps});

  const Time root_complex = root_complex_latency(spec, memory);
  graph.connect(completer.out, down.in[0],
                {.depth = waiting(spec),
                 .latency_time = completer_latency(spec) - memory.latency,
                 .return_latency_time = kHandOver});
  graph.connect(mmio.out, down.in[1],
                {.depth = waiting(spec), .latency_time = root_complex, .return_latency_time = kHandOver});
  graph.connect(transmitter.out, up.in[0], {.depth = kDone / packets_together(spec), .return_latency_time = kHandOver});
  const ChannelOptions to_receiver{
      .depth = on_the_way(spec), .latency_time = spec.flight, .return_latency_time = kHandOver};
  graph.connect(down.out, receiver.in, to_receiver);
  graph.connect(up.out, port.in,
                {.depth = on_the_way(spec),
                 .latency_time = spec.flight - in_host(spec) - in_host(spec),
                 .return_latency_time = kHandOver});

  const ChannelOptions updates{.depth = spec.posted_header_credits + spec.nonposted_header_credits,
                               .latency_time = spec.flight,
                               .return_latency_time = kHandOver};
  graph.connect(down.updates, up.credits_back, updates);
  graph.connect(up.updates, down.credits_back, updates);
  graph.connect(receiver.dllps, up.dllps,
                {.depth = kOwed, .latency_time = kHandOver, .return_latency_time = kHandOver});

  graph.connect(reader.parts, transmitter.reads, {.depth = 4});
  graph.connect(reader.expected, receiver.expected, {.depth = spec.tags});
  graph.connect(receiver.freed_tags, reader.freed_tags, {.depth = spec.tags});

  return {{.read_requests = reader.in,
           .read_data = receiver.data,
           .write_requests = transmitter.writes,
           .write_data = transmitter.write_data,
           .writes_done = transmitter.writes_done,
           .device_mmio = receiver.mmio,
           .device_messages = transmitter.messages,
           .mmio = mmio.in,
           .host_messages = messages.out,
           .memory = host.memory(),
           .root_complex = root_complex},
          memory,
          port,
          down,
          up,
          reader,
          {.host = host.actors(),
           .to_device = graph.id(down),
           .to_host = graph.id(up),
           .reader = graph.id(reader),
           .transmitter = graph.id(transmitter),
           .receiver = graph.id(receiver)}};
}

}  // namespace isthmus::fabric
