#include "isthmus/platform/board.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "isthmus/platform/needs.hpp"
#include "isthmus/platform/specs.hpp"

namespace isthmus::platform {
namespace {

using fabric::DramController;

constexpr std::array<std::string_view, 2> kLinkNeeds = {"pcie", "memory"};
constexpr std::array<std::string_view, 2> kMemoryNeeds = {"dram", "axi"};

MemorySpec memory_spec(const Description& board) {
  const Section& dram = board.the("dram");
  return {.dram = dram_spec(dram),
          .axi = axi_spec(board.the("axi")),
          .channels = static_cast<std::size_t>(dram.count("kernel_channels")),
          .channel_capacity = {dram.bytes("capacity").count / dram.count("channels")}};
}

/// From an AXI port to the controller's queue: all of the interconnect's latency, so that a controller knows early what
/// will not come. Only the sum of both ways can be seen from outside.
ChannelOptions requests(const fabric::AxiSpec& axi, Time controller) {
  return {.depth = axi.outstanding, .latency_time = axi.latency + controller, .return_latency_time = axi.beats(1)};
}

ChannelOptions answers(const fabric::AxiSpec& axi, Time controller) {
  return {.depth = axi.outstanding, .latency_time = controller, .return_latency_time = axi.beats(1)};
}

}  // namespace

BoardSpec board_spec(const Description& board) {
  BoardSpec spec;
  if (has_all(board, kLinkNeeds)) {
    for (const std::string& channel : board.channels()) {
      const LinkSpec link = link_spec(board.over(channel));
      spec.host = link.memory;
      spec.links.push_back({.channel = channel, .pcie = link.pcie});
    }
  }
  if (has_all(board, kMemoryNeeds)) spec.memory = memory_spec(board);
  return spec;
}

std::string scope_of_link(const BoardSpec& board, std::size_t link) {
  return board.links.size() > 1 ? board.links[link].channel : std::string();
}

fabric::DeviceMemory device_memory(const BoardSpec& board) {
  return board.memory ? fabric::DeviceMemory(board.memory->channel_capacity, board.memory->channels)
                      : fabric::DeviceMemory({}, 0);
}

Board::Board(Graph& graph, const BoardSpec& spec, fabric::DeviceMemory& memory, int cores)
    : graph_(graph), memory_spec_(spec.memory), memory_(memory) {
  if (!spec.host) return;
  own_host_.emplace(graph, *spec.host, static_cast<int>(spec.links.size()), cores);
  host_ = &*own_host_;
  add_links(spec);
}

Board::Board(Graph& graph, const BoardSpec& spec, fabric::DeviceMemory& memory, fabric::Host& host)
    : graph_(graph), memory_spec_(spec.memory), memory_(memory), host_(&host) {
  add_links(spec);
}

void Board::attach_core(Out<fabric::HostRequest>& moves, In<fabric::HostMoved>& moved) {
  host_->attach(moves, moved);
}

void Board::add_links(const BoardSpec& spec) {
  for (std::size_t link = 0; link < spec.links.size(); ++link) {
    const Scope scope = graph_.scope(scope_of_link(spec, link));
    links_.push_back(fabric::add_pcie_link(graph_, spec.links[link].pcie, *host_));
  }
}

MasterEnds Board::add_master(const Master& master) {
  fabric::AxiSpec axi = needed(memory_spec_).axi;
  axi.master_rate = master.rate;
  auto& reader = graph_.add<fabric::AxiReader>(master.reads, {.group = kDeviceGroup}, axi, memory_.channels());
  auto& writer = graph_.add<fabric::AxiWriter>(master.writes, {.group = kDeviceGroup}, axi, memory_.channels());
  ports_.push_back({.reader = reader, .writer = writer});
  return {.regions = reader.regions, .data = reader.data, .stores = writer.stores, .written = writer.written};
}

DramEnds Board::add_streaming_master(const std::string& name, const Clock& clock) {
  const MemorySpec& memory = needed(memory_spec_);
  const fabric::DramPortSpec spec{
      .axi = memory.axi, .channel_bytes = memory_.channel_bytes(), .channels = memory_.channels()};
  const MasterEnds ends = add_master({.reads = name + "'s AXI port, reads", .writes = name + "'s AXI port, writes"});
  const ActorOptions clocked{.clock = clock, .group = kDeviceGroup};
  auto& reader = graph_.add<fabric::DramReader>(name + "'s reads", clocked, spec);
  auto& writer = graph_.add<fabric::DramWriter>(name + "'s writes", clocked, spec);
  graph_.connect(reader.regions, ends.regions, register_on(clock, kBursts));
  graph_.connect(ends.data, reader.data, register_on(clock, kBursts));
  graph_.connect(writer.stores, ends.stores, register_on(clock, kBursts));
  graph_.connect(ends.written, writer.written, register_on(clock, kBursts));
  return {.read_requests = reader.requests,
          .read_words = reader.words,
          .write_requests = writer.requests,
          .write_words = writer.words};
}

MasterPassed Board::passed(std::size_t master) const {
  const auto& [reader, writer] = ports_.at(master);
  return {.read = reader.passed(), .written = writer.passed()};
}

void Board::connect_memory() {
  for (std::size_t channel = 0; channel < memory_.channels(); ++channel) {
    auto& dram = graph_.add<DramController>(fmt::format("{} channel {}", kDram, channel), {.group = kDeviceGroup},
                                            needed(memory_spec_).dram, memory_.cells(channel), ports_.size());
    connect(dram, channel);
    dram_.push_back(graph_.id(dram));
  }
}

void Board::connect(DramController& dram, std::size_t channel) {
  const auto& [spec, axi, channels, capacity] = needed(memory_spec_);
  for (std::size_t master = 0; master < ports_.size(); ++master) {
    const auto& [reader, writer] = ports_[master];
    graph_.connect(reader.requests[channel], dram.reads[master], requests(axi, DramController::request_latency(spec)));
    graph_.connect(dram.data[master], reader.answers[channel], answers(axi, DramController::read_latency(spec)));
    graph_.connect(writer.writes[channel], dram.writes[master], requests(axi, DramController::request_latency(spec)));
    graph_.connect(dram.written[master], writer.answers[channel], answers(axi, DramController::write_latency(spec)));
  }
}

ChannelOptions register_on(const Clock& clock, int depth) {
  const Time period = Time::seconds(1 / clock.frequency.hertz());
  return {.depth = depth, .latency_time = period, .return_latency_time = period};
}

}  // namespace isthmus::platform
