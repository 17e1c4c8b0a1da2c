#include "isthmus/platform/link.hpp"

#include <fmt/format.h>

#include "isthmus/platform/specs.hpp"
#include "platform/refuse.hpp"

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
PartPlan credits(const fabric::PcieLink& link, const char* kind, const char* key, const char* counts) {
  return {.name = kind,
          .keys = {key, "link.pcie.update_fc_every", "link.pcie.flight"},
          .occupancies = {{link.actors.to_device, kind}, {link.actors.to_host, kind}},
          .counts = counts};
}

/// One direction of the FPGA's PCIe block.
PartPlan block(const char* name, ActorId actor) {
  return {.name = name, .keys = {"link.pcie.user_width", "link.pcie.user_clock"}, .actors = {actor}};
}

}  // namespace

LinkSpec link_spec(const Description& board) {
  const Section& pcie = board.the("pcie");
  LinkSpec spec{.pcie = pcie_link_spec(pcie), .memory = host_memory_spec(board.the("memory"))};
  if (spec.pcie.round_trip <= fabric::least_round_trip(spec.pcie, spec.memory))
    refuse(pcie.place(), pcie.name_of("round_trip"),
           fmt::format("more than the {} that link and host memory take",
                       to_string(fabric::least_round_trip(spec.pcie, spec.memory))),
           to_string(spec.pcie.round_trip));
  return spec;
}

HostLinkSpec host_link_spec(const Description& board) {
  const Section& stream = board.the("stream");
  const auto count = [&stream](std::string_view key) { return static_cast<int>(stream.count(key)); };
  return {.requests = {.size = stream.bytes("request_size").count,
                       .in_flight = count("requests_in_flight"),
                       .gap = count("request_gap")},
          .buffer_size = stream.bytes("buffer_size"),
          .input_buffers = count("input_buffers"),
          .output_buffers = count("output_buffers"),
          .porter_period = stream.time("porter_period"),
          .library_call = stream.time("library_call"),
          .mmio_store = board.the("mmio").time("store"),
          .core_to_core = board.the("cache").time("core_to_core"),
          .device_clock = {.frequency = board.the("pcie").frequency("user_clock")}};
}

Time pool_setup(const Description& board, const HostLinkSpec& spec) {
  const Time call = board.the("call").time("transfer");
  const Section* alloc = board.find("alloc");
  if (alloc == nullptr || !alloc->flag("enabled")) return call;
  const std::int64_t buffers = spec.input_buffers + spec.output_buffers;
  return call + transfer_time(Bytes{spec.buffer_size.count * buffers}, alloc->bandwidth("rate"));
}

std::vector<PartPlan> parts_of_reads(const fabric::PcieLink& link) {
  return {{.name = "PCIe tags",
           .keys = {"link.pcie.tags", "link.pcie.max_read_request", "link.pcie.round_trip"},
           .occupancies = {{link.actors.reader, fabric::kTags}},
           .counts = "tags"},
          credits(link, fabric::kNonpostedHeaders, "link.pcie.nonposted_header_credits", "credits"),
          {.name = fabric::kHostMemory,
           .keys = {"host.memory.transfer_rate", "host.memory.channels", "host.memory.data_width"},
           .actors = {link.actors.memory}},
          {.name = fabric::kHostToDevice, .keys = lane_keys(), .actors = {link.actors.to_device}},
          block(fabric::kPcieReceiver, link.actors.receiver)};
}

std::vector<PartPlan> parts_of_writes(const fabric::PcieLink& link) {
  return {block(fabric::kPcieTransmitter, link.actors.transmitter),
          credits(link, fabric::kPostedHeaders, "link.pcie.posted_header_credits", "credits"),
          credits(link, fabric::kPostedData, "link.pcie.posted_data_credits", "credits of 16 B"),
          {.name = fabric::kDeviceToHost, .keys = lane_keys(), .actors = {link.actors.to_host}}};
}

}  // namespace isthmus::platform
