#include "flows/stream/board_memory.hpp"

#include <algorithm>

#include "isthmus/fabric/axi_port.hpp"

namespace isthmus::program {
namespace {

/// The image is written in stretches that a host's caches hold.
constexpr std::uint64_t kImageStretch = std::uint64_t{1} << 20U;

std::uint64_t put_image(fabric::DeviceMemory& cells, const MemoryImage& image) {
  const fabric::DeviceAddress at = cells.take({static_cast<std::int64_t>(image.bytes)});
  std::vector<std::byte> stretch;
  for (std::uint64_t done = 0; image.fill && done < image.bytes; done += stretch.size()) {
    stretch.resize(std::min(kImageStretch, image.bytes - done));
    image.fill(done, stretch);
    cells.cells(at.channel).write(at.byte + done, stretch);
  }
  return at.channel * cells.channel_bytes() + at.byte;
}

}  // namespace

BoardMemoryEnds::BoardMemoryEnds(Graph& graph, platform::Board& board, const platform::MemorySpec& spec,
                                 fabric::DeviceMemory& cells, const MemoryImage& image, const Clock& clock)
    : graph_(graph), board_(board), spec_(spec), clock_(clock), image_(put_image(cells, image)) {}

platform::StreamingMaster BoardMemoryEnds::on_board(const MemoryMaster& master) const {
  return {.name = master.name, .clock = clock_, .outstanding = master.under_way};
}

void BoardMemoryEnds::connect(const MemoryMaster& master, Out<DramReadReq>& requests, In<DramReadResp>& words) {
  const platform::DramReadEnds ends = board_.add_streaming_reader(on_board(master));
  graph_.connect(requests, ends.requests, {.depth = master.fifo});
  graph_.connect(ends.words, words, {.depth = master.fifo});
  ways_.push_back({.name = master.name, .port = ends.port});
}

void BoardMemoryEnds::connect(const MemoryMaster& master, Out<DramWriteApply>& requests, Out<DramWriteData>& words) {
  const platform::DramWriteEnds ends = board_.add_streaming_writer(on_board(master));
  graph_.connect(requests, ends.requests, {.depth = master.fifo});
  graph_.connect(words, ends.words, {.depth = master.fifo});
  ways_.push_back({.name = master.name, .port = ends.port});
}

RandomReads BoardMemoryEnds::random_reads() const {
  const platform::RandomReads reads = platform::random_reads(spec_);
  // The registers between the kernel and its AXI port, of requests and of words.
  const Time period = Time::seconds(1 / clock_.frequency.hertz());
  const Time registers = period + period + period + period;
  return {.latency = reads.latency + registers, .per_second = reads.per_second};
}

std::vector<platform::PartPlan> BoardMemoryEnds::parts() const {
  std::vector<platform::PartPlan> parts;
  for (const auto& [name, port] : ways_) {
    parts.push_back({.name = name + "'s bursts under way",
                     .keys = {"device.axi.latency", "device.dram.idle_latency"},
                     .occupancies = {{port, fabric::kAxiBursts}},
                     .counts = "bursts"});
    parts.push_back(
        {.name = name + "'s AXI port", .keys = {"device.axi.clock", "device.axi.data_width"}, .actors = {port}});
  }
  append(parts, platform::parts_of_memory(board_.dram()));
  // Words at random places open a row each: what that takes comes before what the bus does.
  parts.back().keys.insert(parts.back().keys.begin(),
                           {"device.dram.banks", "device.dram.bank_groups", "device.dram.tRAS", "device.dram.tRP",
                            "device.dram.tRCD", "device.dram.tFAW"});
  return parts;
}

}  // namespace isthmus::program
