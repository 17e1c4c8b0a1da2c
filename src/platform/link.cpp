#include "isthmus/platform/link.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <utility>

#include "isthmus/fabric/iommu.hpp"
#include "isthmus/fabric/pcie_link.hpp"
#include "isthmus/platform/specs.hpp"
#include "isthmus/stream/host_link.hpp"
#include "platform/refuse.hpp"

namespace isthmus::platform {
namespace {

/// The keys that set the rate of a lane's packets.
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

/// The part of a kind that may be there and switched off; null where it is not in use.
const Section* in_use(const Description& board, std::string_view kind) {
  const Section* part = board.find(kind);
  return part != nullptr && part->flag("enabled") ? part : nullptr;
}

/// The keys that make up the time in which a read holds its tag.
std::vector<std::string> round_trip_keys(const fabric::HostMemorySpec& memory) {
  std::vector<std::string> keys{"link.pcie.tags", "link.pcie.max_read_request", "link.pcie.round_trip"};
  const auto add = [&keys](std::initializer_list<std::string> more) { keys.insert(keys.end(), more); };
  if (memory.cache) add({"host.llc.miss_latency", "host.llc.hit_latency"});
  if (memory.socket_link) add({"host.numa.latency", "host.numa.distance"});
  return keys;
}

/// The parts that a read passes before the parts of the host that all links share.
std::vector<PartPlan> to_host(const fabric::PcieLink& link) {
  std::vector<PartPlan> parts{
      {.name = "PCIe tags",
       .keys = round_trip_keys(link.host),
       .occupancies = {{link.actors.reader, fabric::kTags}},
       .counts = "tags"},
      credits(link, fabric::kNonpostedHeaders, "link.pcie.nonposted_header_credits", "credits")};
  if (link.actors.host.iommu)
    parts.push_back({.name = "IOMMU walks",
                     .keys = {"host.iommu.walks", "host.iommu.walk_latency", "host.iommu.page", "host.iommu.entries",
                              "host.iommu.ways"},
                     .occupancies = {{*link.actors.host.iommu, fabric::kWalks}},
                     .counts = "walks"});
  return parts;
}

/// The parts that all links share: memory, and the way to it from root ports of another socket.
std::vector<PartPlan> parts_of_host(const fabric::PcieLink& link) {
  const fabric::HostActors& host = link.actors.host;
  std::vector<PartPlan> parts;
  if (!host.socket_link.empty())
    parts.push_back({.name = "socket link", .keys = {"host.numa.rate"}, .actors = host.socket_link});
  PartPlan dram{
      .name = fabric::kHostMemory,
      .keys = {"host.memory.transfer_rate", "host.memory.channels", "host.memory.data_width", "host.memory.interleave"},
      .actors = {host.memory}};
  if (link.host.cache)
    for (const char* key : {"host.llc.size", "host.llc.write_ways", "host.llc.ways", "host.llc.line"})
      dram.keys.emplace_back(key);
  parts.push_back(std::move(dram));
  return parts;
}

/// The host's memory with what lies on the way to it.
fabric::HostMemorySpec memory_spec(const Description& board) {
  fabric::HostMemorySpec spec = kinds::host_memory_spec(board.the("memory"));
  if (const Section* numa = in_use(board, "numa")) spec.socket_link = kinds::socket_link_spec(*numa);
  if (const Section* iommu = in_use(board, "iommu")) spec.iommu = kinds::iommu_spec(*iommu);
  // where an FPGA has a coherent cache, the host's is the home's affair
  if (const Section* llc = in_use(board, "llc"); llc != nullptr && board.find("cache") == nullptr)
    spec.cache = kinds::host_cache_spec(*llc);
  return spec;
}

/// One direction of the FPGA's PCIe block.
PartPlan block(const char* name, ActorId actor) {
  return {.name = name, .keys = {"link.pcie.user_width", "link.pcie.user_clock"}, .actors = {actor}};
}

/// The parts that a read's answer passes behind the host.
std::vector<PartPlan> to_device(const fabric::PcieLink& link) {
  return {{.name = fabric::kHostToDevice, .keys = lane_keys(), .actors = {link.actors.to_device}},
          block(fabric::kPcieReceiver, link.actors.receiver)};
}

std::vector<PartPlan> of_writes(const fabric::PcieLink& link) {
  return {block(fabric::kPcieTransmitter, link.actors.transmitter),
          credits(link, fabric::kPostedHeaders, "link.pcie.posted_header_credits", "credits"),
          credits(link, fabric::kPostedData, "link.pcie.posted_data_credits", "credits of 16 B"),
          {.name = fabric::kDeviceToHost, .keys = lane_keys(), .actors = {link.actors.to_host}}};
}

/// `parts` of each link.
template <class Parts>
std::vector<PartPlan> of_each(const std::vector<ToldLink>& links, const Parts& parts) {
  std::vector<PartPlan> all;
  for (const auto& [link, channel] : links) append(all, of_link(parts(link), channel));
  return all;
}

}  // namespace

fabric::PcieLinkSpec checked_link_spec(const Section& pcie, const fabric::HostMemorySpec& memory) {
  fabric::PcieLinkSpec spec = kinds::pcie_link_spec(pcie);
  const Time least = fabric::least_round_trip(spec, memory);
  if (spec.round_trip <= least)
    refuse(pcie.place_of("round_trip"), pcie.name_of("round_trip"),
           fmt::format("more than the {} that link and host memory take", to_string(least)),
           to_string(spec.round_trip));
  return spec;
}

LinkSpec link_spec(const Description& board) {
  const fabric::HostMemorySpec memory = memory_spec(board);
  return {.pcie = checked_link_spec(board.the("pcie"), memory), .memory = memory};
}

HostLinkSpec host_link_spec(const Description& board) {
  const Section& stream = board.the("stream");
  return {.requests = {.size = stream.bytes("request_size").count,
                       .in_flight = stream.count("requests_in_flight"),
                       .gap = stream.count("request_gap")},
          .buffer_size = stream.bytes("buffer_size"),
          .input_buffers = stream.count("input_buffers"),
          .output_buffers = stream.count("output_buffers"),
          .porter_period = stream.time("porter_period"),
          .library_call = stream.time("library_call"),
          .mmio_store = board.the("mmio").time("store"),
          .core_to_core = board.the("cores").time("core_to_core"),
          .device_clock = {.frequency = board.the("pcie").frequency("user_clock")}};
}

Time pool_setup(const Description& board, const HostLinkSpec& spec) {
  const Time call = board.the("call").time("transfer");
  const Section* alloc = board.find("alloc");
  if (alloc == nullptr || !alloc->flag("enabled")) return call;
  const std::int64_t buffers = spec.input_buffers + spec.output_buffers;
  return call + transfer_time(Bytes{spec.buffer_size.count * buffers}, alloc->bandwidth("rate"));
}

std::string name_on_link(const std::string& channel, const std::string& part) {
  return channel.empty() ? part : fmt::format("{}/{}", channel, part);
}

std::vector<PartPlan> of_link(std::vector<PartPlan> plans, const std::string& channel) {
  for (PartPlan& plan : plans) {
    plan.name = name_on_link(channel, plan.name);
    plan.channel = channel;
  }
  return plans;
}

std::vector<PartPlan> parts_of_reads(const std::vector<ToldLink>& links) {
  std::vector<PartPlan> parts = of_each(links, to_host);
  append(parts, parts_of_host(links.front().link));
  append(parts, of_each(links, to_device));
  return parts;
}

std::vector<PartPlan> parts_of_link(const ToldLink& told) {
  std::vector<PartPlan> parts = to_host(told.link);
  append(parts, to_device(told.link));
  append(parts, of_writes(told.link));
  return of_link(std::move(parts), told.channel);
}

std::vector<PartPlan> parts_of_writes(const std::vector<ToldLink>& links) {
  return of_each(links, of_writes);
}

}  // namespace isthmus::platform
