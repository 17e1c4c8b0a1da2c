#include "isthmus/platform/shared_board.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"
#include "isthmus/platform/link.hpp"
#include "isthmus/platform/specs.hpp"
#include "platform/cycles.hpp"
#include "platform/kinds/kinds.hpp"
#include "platform/refuse.hpp"

namespace isthmus::platform {
namespace {

using fabric::LineAccess;
using fabric::LineResult;

constexpr std::string_view kCacheClock = "cache.clock";
constexpr int kAddressed = 2;    // cycles from a circuit's request to the cache without a page table
constexpr int kSelected = 1;     // cycles that a choice among channels adds, in each direction
constexpr int kLeastThere = 2;   // cycles from a cache to the home and back, one each
constexpr int kLeastOfWire = 4;  // cycles from a cache to the home and back over a wire with turns

/// The value of a flag that may be left out.
bool is_on(const Section& part, std::string_view key) {
  return part.has(key) && part.flag(key);
}

/// `selected` cycles of the choice among channels are in them.
fabric::ServicePhases phases_of(const Description& board, int selected) {
  const Section& translation = board.the("translation");
  const Section& reordering = board.the("reordering");
  const int addressed = kAddressed + selected;
  return {.translation = translation.flag("enabled") ? at_least(addressed, translation, "latency") : addressed,
          .access = at_least(1, board.the("cache"), "access"),
          .reordering_read = at_least(1 + selected, reordering, "read"),
          .reordering_write = at_least(1 + selected, reordering, "write")};
}

/// The host's last-level cache, as far from the home as it answers sooner than memory.
fabric::CoherenceAgent host_agent(const Section& llc, Frequency clock, const fabric::CoherentCacheSpec& fpga) {
  if (!llc.flag("enabled"))
    refuse(llc.place_of("enabled"), llc.name_of("enabled"), "true on a board with a coherent cache", "false");
  if (llc.bytes("line").count != fpga.line)
    refuse(llc.place_of("line"), llc.name_of("line"), fmt::format("{} B, as cache.line", fpga.line),
           fmt::format("{} B", llc.bytes("line").count));
  const int away = at_least(kLeastThere, llc, "hit_latency", clock, kCacheClock);
  return {.name = "host cache",
          .cache = {.size = llc.bytes("size"),
                    .ways = llc.count("ways"),
                    .line = fpga.line,
                    .reads_in_flight = fpga.reads_in_flight,
                    .writes_in_flight = fpga.writes_in_flight},
          .to_home = away / 2,
          .from_home = away - away / 2};
}

/// The links except the coherent one, on a board that chooses among them.
std::vector<BoardLink> links_of(const Description& board, const Section& cache,
                                const fabric::CoherenceSpec& coherence) {
  std::vector<BoardLink> links;
  if (board.find("pcie") == nullptr) return links;
  const auto only = [&cache](std::string_view key, std::int64_t most, const std::string& got) {
    if (got != fmt::format("{}", most))
      refuse(cache.place_of(key), cache.name_of(key), fmt::format("{} on a board with PCIe channels", most), got);
  };
  only("ports", 1, fmt::format("{}", cache.count("ports")));
  only("line", kWordBytes, fmt::format("{}", cache.bytes("line").count));
  const Section& translation = board.the("translation");
  if (kinds::page_walk_spec(translation))
    refuse(translation.place_of("pageable"), translation.name_of("pageable"), "false on a board with PCIe channels",
           "true");
  for (const std::string& channel : channels_of(board, "pcie")) {
    const Description over = board.over(channel);
    const fabric::HostMemorySpec memory{.bandwidth = {}, .latency = fabric::CoherentHost::latency(coherence)};
    links.push_back({.channel = channel, .pcie = checked_link_spec(over.the("pcie"), memory)});
  }
  return links;
}

/// Home, memory and both caches: CAPI's share lines without one of them that answers, and pass a wire.
fabric::CoherenceSpec coherence_of(const Description& board, const Section& coherent,
                                   const fabric::CoherentCacheSpec& fpga, Frequency clock) {
  const bool wired = coherent.kind().name() == kinds::kCapi.name();
  const int memory = at_least(2, board.the("memory"), "latency", clock, kCacheClock);
  const int there =
      at_least(memory + (wired ? kLeastOfWire : kLeastThere), coherent, "round_trip", clock, kCacheClock) - memory;
  fabric::CoherenceSpec coherence{
      .clock = {.frequency = clock}, .line = fpga.line, .forward = !wired, .memory_latency = memory, .agents = {}};
  coherence.agents.push_back({.name = "cache", .cache = fpga, .to_home = there / 2, .from_home = there - there / 2});
  if (wired) coherence.agents.front().wire = kinds::line_wire_spec(coherent, fpga.line);
  const Section& llc = board.the("llc");
  coherence.agents.push_back(host_agent(llc, clock, fpga));
  if (is_on(llc, "allocate_on_device_read")) coherence.filled = SharedBoard::kHost;
  if (is_on(coherent, "directory")) coherence.remembered = SharedBoard::kFpga;
  return coherence;
}

fabric::SharedSpaceSpec space_of(const Description& board) {
  const Section& memory = board.the("memory");
  fabric::SharedSpaceSpec space{.board = board.file().string(),
                                .table = kinds::page_table_spec(board.the("translation"))};
  if (memory.has("capacity")) space.capacity = memory.bytes("capacity");
  return space;
}

/// What has nothing to ask.
struct NoAccesses {
  Out<LineAccess> accesses{"accesses"};
  In<LineResult> results{"results"};
  void step() {}
  bool done() const { return true; }
};

}  // namespace

SharedSpec shared_spec(const Description& board) {
  const Section& coherent = board.the(kCoherentLink);
  const Section& cache = board.the("cache");
  const Frequency clock = cache.frequency("clock");
  const fabric::CoherentCacheSpec fpga = kinds::coherent_cache_spec(cache);
  const fabric::CoherenceSpec coherence = coherence_of(board, coherent, fpga, clock);
  SharedSpec spec{.channels = {coherent.channel()},
                  .link = std::string(coherent.kind().section),
                  .links = links_of(board, cache, coherence),
                  .coherence = coherence,
                  .layer = {.reads_in_flight = fpga.reads_in_flight,
                            .writes_in_flight = fpga.writes_in_flight,
                            .interval = cache.count("interval")},
                  .ports = fpga.ports,
                  .circuit = {.frequency = board.the("kernel").frequency("clock")},
                  .space = space_of(board)};
  if (const auto walk = kinds::page_walk_spec(board.the("translation"))) {
    spec.layer.held_pages = walk->held;
    spec.layer.page_walk = cycles(walk->latency, clock);
  }
  spec.phases = phases_of(board, spec.links.empty() ? 0 : kSelected);
  if (spec.links.empty()) return spec;
  for (const BoardLink& link : spec.links) spec.channels.push_back(link.channel);
  spec.coherence.bridges = static_cast<int>(spec.links.size());
  spec.selector = {.channels = static_cast<int>(spec.channels.size()),
                   .depth = board.the("queue").count("depth"),
                   .round_robin = board.the("va").flag("round_robin")};
  return spec;
}

std::vector<std::string> ways_of(const SharedSpec& spec) {
  std::vector<std::string> ways = spec.channels;
  if (ways.size() > 1) ways.emplace_back(kAnyOfThem);
  return ways;
}

std::vector<std::string> ways_of(const Description& board) {
  std::vector<std::string> ways = board.channels();
  if (board.find("va") != nullptr) ways.emplace_back(kAnyOfThem);
  return ways;
}

std::uint8_t way_named(const SharedSpec& spec, const std::string& name) {
  const std::vector<std::string> ways = ways_of(spec);
  const auto found = std::ranges::find(ways, name);
  if (found == ways.end()) throw Error("--channel: " + unknown_name("channel", name, ways));
  const auto place = static_cast<std::size_t>(found - ways.begin());
  return place < spec.channels.size() ? static_cast<std::uint8_t>(place) : fabric::kAnyChannel;
}

SharedBoard::SharedBoard(Graph& graph, const SharedSpec& spec, PinnedMemory& memory, const fabric::SharedSpace& space,
                         int cores, fabric::CoherenceObserver* observer)
    : graph_(graph),
      spec_([&] {
        SharedSpec built = spec;
        built.coherence.agents[kHost].cache.ports = cores;
        built.layer.space = &space;
        return built;
      }()),
      coherence_(graph, spec_.coherence, memory, observer),
      reads_attached_(static_cast<std::size_t>(spec_.ports)),
      writes_attached_(static_cast<std::size_t>(spec_.ports)) {
  fabric::ServicePhases phases = spec_.phases;
  if (!spec_.links.empty()) phases.translation = kAddressed;
  for (int port = 0; port < spec_.ports; ++port)
    layers_.push_back(&coherence_.add_service_layer(spec_.layer, phases, kFpga, static_cast<std::size_t>(port)));
  if (!spec_.links.empty()) add_links(memory);
}

void SharedBoard::add_links(PinnedMemory& memory) {
  const ActorOptions clocked{.clock = spec_.coherence.clock, .group = kDeviceGroup};
  selector_ = &graph_.add<fabric::ChannelSelector>("choice of channels", clocked, spec_.selector);
  auto& host = host_.emplace(graph_, spec_.coherence, coherence_, memory);
  connect_channel(0, layer(0).reads, layer(0).read_results, layer(0).writes, layer(0).write_results);
  for (std::size_t i = 0; i < spec_.links.size(); ++i) {
    const Scope scope = graph_.scope(spec_.links[i].channel);
    links_.push_back(
        fabric::add_line_link(graph_, spec_.links[i].pcie, host, spec_.coherence.clock, spec_.layer.space));
    fabric::PcieChannel& channel = links_.back().channel;
    connect_channel(i + 1, channel.line_reads, channel.read_results, channel.line_writes, channel.write_results);
  }
}

/// What waits for a channel waits in the selector's queue, so that there is room for no more than what is on its way.
void SharedBoard::connect_channel(std::size_t place, In<LineAccess>& reads, Out<LineResult>& reads_done,
                                  In<LineAccess>& writes, Out<LineResult>& writes_done) {
  const int translation = spec_.phases.translation - kAddressed;
  const ChannelOptions there{.depth = translation + 1, .latency = translation};
  graph_.connect(selector_->channel_reads[place], reads, there);
  graph_.connect(selector_->channel_writes[place], writes, there);
  graph_.connect(reads_done, selector_->reads_done[place], coherence_.channel(kSelected));
  graph_.connect(writes_done, selector_->writes_done[place], coherence_.channel(kSelected));
}

void SharedBoard::attach_reads(int port, Out<LineAccess>& reads, In<LineResult>& results) {
  reads_attached_[static_cast<std::size_t>(port)] = true;
  const bool selected = selector_ != nullptr;
  graph_.connect(reads, selected ? selector_->reads : layer(port).reads, coherence_.channel(1));
  graph_.connect(selected ? selector_->read_results : layer(port).read_results, results,
                 coherence_.channel(spec_.phases.reordering_read - (selected ? kSelected : 0)));
}

void SharedBoard::attach_writes(int port, Out<LineAccess>& writes, In<LineResult>& results) {
  writes_attached_[static_cast<std::size_t>(port)] = true;
  const bool selected = selector_ != nullptr;
  graph_.connect(writes, selected ? selector_->writes : layer(port).writes, coherence_.channel(1));
  graph_.connect(selected ? selector_->write_results : layer(port).write_results, results,
                 coherence_.channel(spec_.phases.reordering_write - (selected ? kSelected : 0)));
}

void SharedBoard::leave_out_rest() {
  const auto none = [this](const char* what, int port) -> NoAccesses& {
    return graph_.add<NoAccesses>(fmt::format("no {} {}", what, port), {.clock = spec_.circuit});
  };
  for (int port = 0; port < spec_.ports; ++port) {
    const auto place = static_cast<std::size_t>(port);
    if (!reads_attached_[place]) {
      auto& reads = none("reads", port);
      attach_reads(port, reads.accesses, reads.results);
    }
    if (!writes_attached_[place]) {
      auto& writes = none("writes", port);
      attach_writes(port, writes.accesses, writes.results);
    }
  }
}

void SharedBoard::attach_core(Out<LineAccess>& accesses, In<LineResult>& results) {
  attach_core(accesses, results, 2);
}

void SharedBoard::attach_distant_core(Out<LineAccess>& accesses, In<LineResult>& results) {
  const fabric::CoherenceAgent& host = spec_.coherence.agents[kHost];
  attach_core(accesses, results, host.to_home + host.from_home);
}

/// So many cycles there and back.
void SharedBoard::attach_core(Out<LineAccess>& accesses, In<LineResult>& results, int cycles) {
  fabric::CoherentCache& cache = coherence_.cache(kHost);
  graph_.connect(accesses, cache.requests[cores_], coherence_.channel(cycles / 2));
  graph_.connect(cache.results[cores_], results, coherence_.channel(cycles - cycles / 2));
  ++cores_;
}

void SharedBoard::attach_hints(In<std::uint16_t>& hints) {
  graph_.connect(coherence_.cache(kFpga).hints[0], hints, coherence_.channel(1));
}

ChannelOptions SharedBoard::to_circuit() const {
  return coherence_.channel(spec_.coherence.agents[kFpga].from_home);
}

std::vector<PartPlan> SharedBoard::parts() const {
  const std::string round_trip = spec_.link + ".round_trip";
  std::vector<PartPlan> plans{
      {.name = fabric::kReadsInFlight, .keys = {"cache.reads_in_flight", round_trip, "cache.clock"}, .counts = "reads"},
      {.name = fabric::kWritesInFlight,
       .keys = {"cache.writes_in_flight", round_trip, "cache.clock"},
       .counts = "writes"}};
  for (const fabric::ServiceLayer* each : layers_)
    for (PartPlan& plan : plans) plan.occupancies.push_back({graph_.id(*each), plan.name});
  const std::vector<std::string> wire{spec_.link + ".lanes", spec_.link + ".generation"};
  if (!coherence_.wires_from_home().empty()) {
    plans.push_back({.name = "lines to the FPGA", .keys = wire, .actors = coherence_.wires_from_home()});
    plans.push_back({.name = "lines to the host", .keys = wire, .actors = coherence_.wires_to_home()});
  }
  for (std::size_t i = 0; i < links_.size(); ++i)
    append(plans, parts_of_link({.link = links_[i].link, .channel = spec_.links[i].channel}));
  return plans;
}

}  // namespace isthmus::platform
