#include "isthmus/platform/link.hpp"

#include <fmt/format.h>

#include "isthmus/fabric/pcie_link.hpp"

namespace isthmus::platform {
namespace {

/// What sets the rate of a lane's packets.
std::vector<std::string> lane_keys() {
  return {"link.pcie.lanes",
          "link.pcie.generation",
          "link.pcie.max_payload",
          "link.pcie.completion_overhead",
          "link.pcie.request_overhead",
          "link.pcie.ack_every",
          "link.pcie.update_fc_every",
          "link.pcie.dllp_size"};
}

/// Credits of both directions; after their number comes what they travel: the flight there and, with an update, back.
PartPlan credits(const char* kind, const char* key, const char* counts) {
  return {.name = kind,
          .keys = {key, "link.pcie.update_fc_every", "link.pcie.flight"},
          .occupancies = {fmt::format("{}: {}", fabric::kHostToDevice, kind),
                          fmt::format("{}: {}", fabric::kDeviceToHost, kind)},
          .counts = counts};
}

/// One direction of the FPGA's PCIe block.
PartPlan block(const char* actor) {
  return {.name = actor, .keys = {"link.pcie.user_width", "link.pcie.user_clock"}, .actors = {actor}};
}

}  // namespace

fabric::PcieLinkSpec pcie_link_spec(const Description& p) {
  const auto count = [&p](std::string_view key) { return static_cast<int>(p.count(key)); };
  return {.generation = count("link.pcie.generation"),
          .lanes = count("link.pcie.lanes"),
          .max_payload = p.bytes("link.pcie.max_payload"),
          .max_read_request = p.bytes("link.pcie.max_read_request"),
          .read_completion_boundary = p.bytes("link.pcie.read_completion_boundary"),
          .request_overhead = p.bytes("link.pcie.request_overhead"),
          .completion_overhead = p.bytes("link.pcie.completion_overhead"),
          .dllp_size = p.bytes("link.pcie.dllp_size"),
          .ack_every = count("link.pcie.ack_every"),
          .update_fc_every = count("link.pcie.update_fc_every"),
          .tags = count("link.pcie.tags"),
          .posted_header_credits = count("link.pcie.posted_header_credits"),
          .posted_data_credits = count("link.pcie.posted_data_credits"),
          .nonposted_header_credits = count("link.pcie.nonposted_header_credits"),
          .flight = p.time("link.pcie.flight"),
          .round_trip = p.time("link.pcie.round_trip"),
          .user_width = p.bytes("link.pcie.user_width"),
          .user_clock = {.frequency = p.frequency("link.pcie.user_clock")}};
}

HostLinkSpec host_link_spec(const Description& p) {
  const auto count = [&p](std::string_view key) { return static_cast<int>(p.count(key)); };
  return {.requests = {.size = p.bytes("stream.request_size").count,
                       .in_flight = count("stream.requests_in_flight"),
                       .gap = count("stream.request_gap")},
          .buffer_size = p.bytes("stream.buffer_size"),
          .input_buffers = count("stream.input_buffers"),
          .output_buffers = count("stream.output_buffers"),
          .porter_period = p.time("stream.porter_period"),
          .library_call = p.time("stream.library_call"),
          .mmio_store = p.time("host.mmio.store"),
          .core_to_core = p.time("host.cache.core_to_core"),
          .device_clock = {.frequency = p.frequency("link.pcie.user_clock")}};
}

fabric::HostMemorySpec host_memory_spec(const Description& p) {
  const auto bus = static_cast<double>(p.bytes("host.memory.data_width").count * p.count("host.memory.channels"));
  return {.bandwidth = {p.frequency("host.memory.transfer_rate").hertz() * bus},
          .latency = p.time("host.memory.latency")};
}

Time pool_setup(const Description& platform, const HostLinkSpec& spec) {
  const Time call = platform.time("host.call.transfer");
  if (!platform.flag("host.alloc.enabled")) return call;
  const std::int64_t buffers = spec.input_buffers + spec.output_buffers;
  return call + transfer_time(Bytes{spec.buffer_size.count * buffers}, platform.bandwidth("host.alloc.rate"));
}

std::vector<PartPlan> parts_of_reads() {
  return {{.name = "PCIe tags",
           .keys = {"link.pcie.tags", "link.pcie.max_read_request", "link.pcie.round_trip"},
           .occupancies = {fmt::format("{}: {}", fabric::kPcieReader, fabric::kTags)},
           .counts = "tags"},
          credits(fabric::kNonpostedHeaders, "link.pcie.nonposted_header_credits", "credits"),
          {.name = fabric::kHostMemory,
           .keys = {"host.memory.transfer_rate", "host.memory.channels", "host.memory.data_width"},
           .actors = {fabric::kHostMemory}},
          {.name = fabric::kHostToDevice, .keys = lane_keys(), .actors = {fabric::kHostToDevice}},
          block(fabric::kPcieReceiver)};
}

std::vector<PartPlan> parts_of_writes() {
  return {block(fabric::kPcieTransmitter),
          credits(fabric::kPostedHeaders, "link.pcie.posted_header_credits", "credits"),
          credits(fabric::kPostedData, "link.pcie.posted_data_credits", "credits of 16 B"),
          {.name = fabric::kDeviceToHost, .keys = lane_keys(), .actors = {fabric::kDeviceToHost}}};
}

}  // namespace isthmus::platform
