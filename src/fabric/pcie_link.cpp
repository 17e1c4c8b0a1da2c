#include "isthmus/fabric/pcie_link.hpp"

#include <fmt/format.h>

#include "isthmus/base/error.hpp"
#include "isthmus/fabric/pcie_data_link.hpp"

namespace isthmus::fabric {
namespace {

// The cycles of the user clock from a read request to its TLP and from the first completion to its first word: one
// register each in PcieReader, PcieTransmitter and PcieReceiver, and one cycle to meet the clock's edge.
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

/// The number of packets that the flight holds, the smallest included; the tokens of a large one start together.
int on_the_way(const PcieLinkSpec& spec) {
  const double smallest = static_cast<double>(spec.completion_overhead.count) / raw_bandwidth(spec).bytes_per_second;
  return static_cast<int>(spec.flight.seconds() / smallest) + 2 * tokens_of_packet(spec);
}

/// The number of answers, or accesses of host software, that can wait for the lane.
int waiting(const PcieLinkSpec& spec) {
  return static_cast<int>(spec.tags * ((spec.max_read_request.count - 1) / most_in_token(spec) + 1));
}

/// The number of packets that the transmitter has finished before the lane takes them.
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

namespace {

/// The actors of both ends and of the lanes between them.
struct Ends {
  RootPort& port;
  Completer& completer;
  MessageQueue& messages;
  MmioPort& mmio;
  LinkDirection down;
  LinkDirection up;
  PcieReader& reader;
  PcieTransmitter& transmitter;
  PcieReceiver& receiver;
};

Time to_device_flight(const PcieLinkSpec& spec) {
  return spec.flight;
}

/// The part of the flight before the root port.
Time to_host_flight(const PcieLinkSpec& spec) {
  return spec.flight - in_host(spec) - in_host(spec);
}

Ends add_ends(Graph& graph, const PcieLinkSpec& spec, LinkHost& host) {
  const ActorOptions block{.clock = spec.user_clock, .group = kDeviceGroup};
  const ActorOptions words{
      .clock = spec.user_clock, .initiation_interval = cycles_per_word(spec), .group = kDeviceGroup};
  const ActorOptions of_host{.group = kHostGroup};
  return {.port = graph.add<RootPort>(kRootPort, of_host, spec, host.next()),
          .completer = graph.add<Completer>(kCompleter, of_host, host.overtaking(spec)),
          .messages = graph.add<MessageQueue>("messages", of_host),
          .mmio = graph.add<MmioPort>("host MMIO", of_host),
          .down = add_direction(graph, kHostToDevice, spec, 2, to_device_flight(spec)),
          .up = add_direction(graph, kDeviceToHost, spec, 1, to_host_flight(spec)),
          .reader = graph.add<PcieReader>(kPcieReader, block, spec),
          .transmitter = graph.add<PcieTransmitter>(kPcieTransmitter, words, spec),
          .receiver = graph.add<PcieReceiver>(kPcieReceiver, words, spec)};
}

void connect_to_device(Graph& graph, const PcieLinkSpec& spec, const Ends& ends, const HostMemorySpec& memory) {
  graph.connect(ends.completer.out, ends.down.lane.in[0],
                {.depth = waiting(spec),
                 .latency_time = completer_latency(spec) - memory.latency,
                 .return_latency_time = kHandOver});
  graph.connect(
      ends.mmio.out, ends.down.lane.in[1],
      {.depth = waiting(spec), .latency_time = root_complex_latency(spec, memory), .return_latency_time = kHandOver});
  graph.connect(ends.down.out, ends.receiver.in,
                {.depth = on_the_way(spec),
                 .latency_time = to_device_flight(spec) - ends.down.passed,
                 .return_latency_time = kHandOver});
}

void connect_to_host(Graph& graph, const PcieLinkSpec& spec, const Ends& ends) {
  graph.connect(ends.transmitter.out, ends.up.lane.in[0],
                {.depth = kDone / packets_together(spec), .return_latency_time = kHandOver});
  graph.connect(ends.up.out, ends.port.in,
                {.depth = on_the_way(spec),
                 .latency_time = to_host_flight(spec) - ends.up.passed,
                 .return_latency_time = kHandOver});
}

void connect_credits(Graph& graph, const PcieLinkSpec& spec, const Ends& ends) {
  const ChannelOptions updates{.depth = spec.posted_header_credits + spec.nonposted_header_credits,
                               .latency_time = spec.flight,
                               .return_latency_time = kHandOver};
  graph.connect(ends.down.lane.updates, ends.up.lane.credits_back, updates);
  graph.connect(ends.up.lane.updates, ends.down.lane.credits_back, updates);
  graph.connect(ends.receiver.dllps, ends.up.lane.dllps,
                {.depth = kOwed, .latency_time = kHandOver, .return_latency_time = kHandOver});
  tie_directions(graph, spec, ends.down, ends.up);
}

void connect_block(Graph& graph, const PcieLinkSpec& spec, const Ends& ends) {
  graph.connect(ends.reader.parts, ends.transmitter.reads, {.depth = 4});
  graph.connect(ends.reader.expected, ends.receiver.expected, {.depth = spec.tags});
  graph.connect(ends.receiver.freed_tags, ends.reader.freed_tags, {.depth = spec.tags});
}

}  // namespace

PcieLink add_pcie_link(Graph& graph, const PcieLinkSpec& spec, LinkHost& host) {
  const HostMemorySpec& memory = host.spec();
  check(spec, memory);
  const Ends ends = add_ends(graph, spec, host);
  host.attach(spec, {ends.port, ends.completer, ends.messages, ends.down.lane.dllps});
  connect_to_device(graph, spec, ends, memory);
  connect_to_host(graph, spec, ends);
  connect_credits(graph, spec, ends);
  connect_block(graph, spec, ends);
  return {{.read_requests = ends.reader.in,
           .read_data = ends.receiver.data,
           .write_requests = ends.transmitter.writes,
           .write_data = ends.transmitter.write_data,
           .writes_done = ends.transmitter.writes_done,
           .device_mmio = ends.receiver.mmio,
           .device_messages = ends.transmitter.messages,
           .mmio = ends.mmio.in,
           .host_messages = ends.messages.out,
           .memory = host.memory(),
           .root_complex = root_complex_latency(spec, memory)},
          memory,
          ends.port,
          ends.down.lane,
          ends.up.lane,
          ends.reader,
          {.host = host.actors(),
           .to_device = graph.id(ends.down.lane),
           .to_host = graph.id(ends.up.lane),
           .reader = graph.id(ends.reader),
           .transmitter = graph.id(ends.transmitter),
           .receiver = graph.id(ends.receiver)}};
}

}  // namespace isthmus::fabric
