#include "isthmus/platform/board.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "isthmus/fabric/axi_port.hpp"
#include "isthmus/fabric/device_memory.hpp"
#include "isthmus/fabric/dram.hpp"
#include "isthmus/fabric/dram_port.hpp"
#include "isthmus/fabric/pcie_link.hpp"
#include "isthmus/platform/link.hpp"
#include "isthmus/platform/needs.hpp"
#include "isthmus/platform/specs.hpp"

namespace isthmus::platform {
namespace {

using fabric::DramController;

constexpr std::array<std::string_view, 2> kLinkNeeds = {"pcie", "memory"};
constexpr std::array<std::string_view, 2> kMemoryNeeds = {"dram", "axi"};

MemorySpec memory_spec(const Description& board) {
  const Section& dram = board.the("dram");
  return {.dram = kinds::dram_spec(dram),
          .axi = kinds::axi_spec(board.the("axi")),
          .channels = static_cast<std::size_t>(dram.count("kernel_channels")),
          .channel_capacity = {dram.bytes("capacity").count / dram.count("channels")}};
}

}  // namespace

ChannelOptions axi_requests(const fabric::AxiSpec& axi, Time controller) {
  return {.depth = axi.outstanding, .latency_time = axi.latency + controller, .return_latency_time = axi.beats(1)};
}

ChannelOptions axi_answers(const fabric::AxiSpec& axi, Time controller) {
  return {.depth = axi.outstanding, .latency_time = controller, .return_latency_time = axi.beats(1)};
}

BoardSpec board_spec(const Description& board) {
  BoardSpec spec;
  if (has_all(board, kLinkNeeds)) {
    for (const std::string& channel : channels_of(board, "pcie")) {
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
    : graph_(graph),
      memory_spec_(spec.memory),
      memory_(memory),
      links_(std::make_unique<std::deque<fabric::PcieLink>>()) {
  if (!spec.host) return;
  own_host_ = std::make_unique<fabric::Host>(graph, *spec.host, static_cast<int>(spec.links.size()), cores);
  host_ = own_host_.get();
  add_links(spec);
}

Board::Board(Graph& graph, const BoardSpec& spec, fabric::DeviceMemory& memory, fabric::Host& host)
    : graph_(graph),
      memory_spec_(spec.memory),
      memory_(memory),
      host_(&host),
      links_(std::make_unique<std::deque<fabric::PcieLink>>()) {
  add_links(spec);
}

Board::~Board() = default;

void Board::attach_core(Out<fabric::HostRequest>& moves, In<fabric::HostMoved>& moved) {
  host_->attach_core(moves, moved);
}

void Board::add_links(const BoardSpec& spec) {
  for (std::size_t link = 0; link < spec.links.size(); ++link) {
    const Scope scope = graph_.scope(scope_of_link(spec, link));
    links_->push_back(fabric::add_pcie_link(graph_, spec.links[link].pcie, *host_));
  }
}

MasterEnds Board::add_master(const Master& master) {
  fabric::AxiSpec axi = needed(memory_spec_).axi;
  axi.master_rate = master.rate;
  auto& reader = graph_.add<fabric::AxiReader>(master.reads, {.group = kDeviceGroup}, axi, memory_.channels());
  auto& writer = graph_.add<fabric::AxiWriter>(master.writes, {.group = kDeviceGroup}, axi, memory_.channels());
  ports_.push_back({.axi = axi, .reader = &reader, .writer = &writer});
  return {.regions = reader.regions, .data = reader.data, .stores = writer.stores, .written = writer.written};
}

fabric::AxiSpec Board::axi_of(const StreamingMaster& master) const {
  fabric::AxiSpec axi = needed(memory_spec_).axi;
  axi.outstanding = master.outstanding.value_or(axi.outstanding);
  return axi;
}

fabric::DramPortSpec Board::port_spec(const fabric::AxiSpec& axi) const {
  return {.axi = axi, .channel_bytes = memory_.channel_bytes(), .channels = memory_.channels()};
}

DramReadEnds Board::add_streaming_reader(const StreamingMaster& master) {
  const fabric::AxiSpec axi = axi_of(master);
  auto& port =
      graph_.add<fabric::AxiReader>(master.name + "'s AXI port", {.group = kDeviceGroup}, axi, memory_.channels());
  auto& words = graph_.add<fabric::DramReader>(master.name + "'s words", {.clock = master.clock, .group = kDeviceGroup},
                                               port_spec(axi));
  graph_.connect(words.regions, port.regions, register_on(master.clock, kBursts));
  graph_.connect(port.data, words.data, register_on(master.clock, kBursts));
  ports_.push_back({.axi = axi, .reader = &port, .writer = nullptr});
  return {.requests = words.requests, .words = words.words, .port = graph_.id(port)};
}

DramWriteEnds Board::add_streaming_writer(const StreamingMaster& master) {
  const fabric::AxiSpec axi = axi_of(master);
  auto& port =
      graph_.add<fabric::AxiWriter>(master.name + "'s AXI port", {.group = kDeviceGroup}, axi, memory_.channels());
  auto& words = graph_.add<fabric::DramWriter>(master.name + "'s words", {.clock = master.clock, .group = kDeviceGroup},
                                               port_spec(axi));
  graph_.connect(words.stores, port.stores, register_on(master.clock, kBursts));
  graph_.connect(port.written, words.written, register_on(master.clock, kBursts));
  ports_.push_back({.axi = axi, .reader = nullptr, .writer = &port});
  return {.requests = words.requests, .words = words.words, .port = graph_.id(port)};
}

MasterPassed Board::passed(std::size_t master) const {
  const Ports& ports = ports_.at(master);
  return {.read = ports.reader->passed(), .written = ports.writer->passed()};
}

fabric::DramMasters Board::count_masters() const {
  fabric::DramMasters masters{.read = 0, .write = 0};
  for (const Ports& ports : ports_) {
    masters.read += ports.reader != nullptr ? 1 : 0;
    masters.write += ports.writer != nullptr ? 1 : 0;
  }
  return masters;
}

void Board::connect_memory() {
  for (std::size_t channel = 0; channel < memory_.channels(); ++channel) {
    auto& dram = graph_.add<DramController>(fmt::format("{} channel {}", kDram, channel), {.group = kDeviceGroup},
                                            needed(memory_spec_).dram, memory_.cells(channel), count_masters());
    connect(dram, channel);
    dram_.push_back(graph_.id(dram));
  }
}

void Board::connect(DramController& dram, std::size_t channel) {
  const fabric::DramSpec& spec = needed(memory_spec_).dram;
  const Time request = DramController::request_latency(spec);
  std::size_t reading = 0;
  std::size_t writing = 0;
  for (const auto& [axi, reader, writer] : ports_) {
    if (reader != nullptr) {
      graph_.connect(reader->requests[channel], dram.reads[reading], axi_requests(axi, request));
      graph_.connect(dram.data[reading++], reader->answers[channel],
                     axi_answers(axi, DramController::read_latency(spec)));
    }
    if (writer != nullptr) {
      graph_.connect(writer->writes[channel], dram.writes[writing], axi_requests(axi, request));
      graph_.connect(dram.written[writing++], writer->answers[channel],
                     axi_answers(axi, DramController::write_latency(spec)));
    }
  }
}

RandomReads random_reads(const MemorySpec& memory) {
  const fabric::DramSpec& dram = memory.dram;
  const double cycle = 1 / dram.clock.hertz();
  const std::int64_t bursts = (kWordBytes + dram.burst_bytes().count - 1) / dram.burst_bytes().count;
  const int clocks = dram.burst_length / 2;
  // A word takes its bursts on the data bus and opens a row: four in tFAW, tRRD apart, a bank again after tRC.
  const double data = static_cast<double>(bursts) * std::max(dram.tCCD_S, clocks) * cycle;
  const double rows = std::max({dram.tFAW.seconds() / 4, dram.tRRD_S.seconds(),
                                (dram.tRAS + dram.tRP).seconds() / (dram.bank_groups * dram.banks)});
  const double beat = memory.axi.beats(kWordBytes).seconds();
  return {.latency = memory.axi.latency + dram.idle_latency + dram.tRP + memory.axi.beats(kWordBytes),
          .per_second = 1 / std::max({data, rows, beat})};
}

std::vector<PartPlan> parts_of_memory(const std::vector<ActorId>& dram) {
  PartPlan queue{.name = "device DRAM's queue", .keys = {"device.dram.queue_depth"}, .counts = "bursts"};
  for (const ActorId actor : dram)
    for (const char* of : {fabric::kWaitingReads, fabric::kWaitingWrites})
      queue.occupancies.push_back({.actor = actor, .of = of});
  return {std::move(queue),
          {.name = kDram,
           .keys = {"device.dram.kernel_channels", "device.dram.transfer_rate", "device.dram.data_width",
                    "device.dram.burst_length", "device.dram.tCCD_S", "device.dram.tCCD_L"},
           .actors = dram}};
}

ChannelOptions register_on(const Clock& clock, int depth) {
  const Time period = Time::seconds(1 / clock.frequency.hertz());
  return {.depth = depth, .latency_time = period, .return_latency_time = period};
}

}  // namespace isthmus::platform
