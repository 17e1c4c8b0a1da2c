#include "isthmus/platform/soc_board.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"
#include "isthmus/platform/needs.hpp"
#include "isthmus/platform/specs.hpp"
#include "platform/cycles.hpp"
#include "platform/refuse.hpp"

namespace isthmus::platform {
namespace {

using fabric::DramController;

constexpr int kLeastToSnoop = 4;      // cycles from the home to a snooped cache and back
constexpr int kMasterBursts = 64;     // bursts that wait between the processor and the DRAM's controller, each way
constexpr std::size_t kChannels = 1;  // channels of the DRAM that are built

fabric::CoherenceSpec coherence_of(const Description& board, Frequency clock) {
  const Section& interconnect = board.the("interconnect");
  const fabric::CoherentCacheSpec l2 = kinds::l2_spec(board.the("l2"));
  const int away = at_least(kLeastToSnoop, interconnect, "latency", clock, "cpu.clock");
  fabric::CoherenceSpec spec{
      .clock = {.frequency = clock}, .line = l2.line, .forward = false, .directory = false, .agents = {}};
  spec.agents.push_back({.name = "L2",
                         .cache = l2,
                         .to_home = away / 2,
                         .from_home = away - away / 2,
                         .snooped = kinds::snoop_port_spec(interconnect)});
  return spec;
}

std::vector<SocPortSpec> ports_of(const Description& board) {
  const Bytes line = board.the("l2").bytes("line");
  const auto port = [&](std::string_view kind, SocRoute route, bool by_software) {
    const Section& part = board.the(kind);
    return SocPortSpec{.name = std::string(part.kind().name()),
                       .route = route,
                       .by_software = by_software,
                       .axi = kinds::port_spec(part, line)};
  };
  const bool snoops = board.the("hpc").flag("snoop");
  return {port("hp", SocRoute::memory, true), port("hpc", snoops ? SocRoute::interconnect : SocRoute::memory, false),
          port("acp", SocRoute::cache, false)};
}

fabric::CoreMemorySpec core_of(const Description& board) {
  const Section& l2 = board.the("l2");
  const Section& stream = board.the("write_stream");
  fabric::CoreMemorySpec core{.line = static_cast<int>(l2.bytes("line").count),
                              .stores = l2.count("in_flight"),
                              .uncached_stores = board.the("cpu").count("uncached_stores"),
                              .prefetch = kinds::prefetch_spec(board.the("prefetch"))};
  if (stream.flag("enabled")) core.write_stream = static_cast<std::uint64_t>(stream.count("threshold"));
  return core;
}

fabric::DramSpec checked_dram(const Section& dram) {
  const std::int64_t channels = dram.count("channels");
  if (channels != kChannels)
    refuse(dram.place_of("channels"), dram.name_of("channels"),
           fmt::format("{} on a board whose FPGA reaches a processor's memory by ports", kChannels),
           fmt::format("{}", channels));
  return kinds::dram_spec(dram);
}

std::size_t count(const SocSpec& spec, std::span<const std::size_t> ports, SocRoute route) {
  return static_cast<std::size_t>(
      std::ranges::count_if(ports, [&](std::size_t port) { return spec.ports[port].route == route; }));
}

/// The coherence with clients for the ports and cores that are built.
fabric::CoherenceSpec with_clients(const SocSpec& spec, std::span<const std::size_t> ports, const SocCores& cores) {
  fabric::CoherenceSpec coherence = spec.coherence;
  coherence.agents.front().cache.ports = cores.cached + static_cast<int>(count(spec, ports, SocRoute::cache));
  coherence.bridges = static_cast<int>(count(spec, ports, SocRoute::interconnect));
  return coherence;
}

/// The home's memory, and the ports and cores that go there at once.
fabric::DramMasters masters_of(const SocSpec& spec, std::span<const std::size_t> ports, const SocCores& cores) {
  const std::size_t masters = 1 + count(spec, ports, SocRoute::memory) + static_cast<std::size_t>(cores.uncached);
  return {.read = masters, .write = masters};
}

int lines_of(const fabric::AxiSpec& axi, int line) {
  return static_cast<int>(axi.burst.count / line);
}

}  // namespace

SocSpec soc_spec(const Description& board) {
  require(board, "ports of the FPGA to a processor's memory", kSocNeeds);
  const Section& cpu = board.the("cpu");
  const Section& maintenance = board.the("maintenance");
  const Section& dram = board.the("dram");
  const auto cycles = [&cpu](const Section& part, std::string_view key) {
    return Time::seconds(static_cast<double>(part.count(key)) / cpu.frequency("clock").hertz());
  };
  return {.cpu = {.frequency = cpu.frequency("clock")},
          .cores = cpu.count("cores"),
          .copy = cycles(cpu, "copy_cycles"),
          .element = cycles(cpu, "element_cycles"),
          .to_cache = board.the("l2").count("latency"),
          .coherence = coherence_of(board, cpu.frequency("clock")),
          .core = core_of(board),
          .maintenance = maintenance.flag("enabled"),
          .maintain = cycles(maintenance, "line_cycles"),
          .ports = ports_of(board),
          .dram = checked_dram(dram),
          .capacity = dram.bytes("capacity")};
}

std::size_t port_named(const SocSpec& spec, const std::string& name) {
  const auto found = std::ranges::find(spec.ports, name, &SocPortSpec::name);
  if (found != spec.ports.end()) return static_cast<std::size_t>(found - spec.ports.begin());
  std::vector<std::string> names;
  names.reserve(spec.ports.size());
  for (const SocPortSpec& port : spec.ports) names.push_back(port.name);
  throw Error("--port: " + unknown_name("port", name, names));
}

SocBoard::SocBoard(Graph& graph, const SocSpec& spec, fabric::DramCells& cells, std::span<const std::size_t> ports,
                   const SocCores& cores, fabric::CoherenceObserver* observer)
    : graph_(graph),
      spec_(spec),
      coherence_(graph, with_clients(spec, ports, cores), observer),
      dram_(
          graph.add<DramController>(kDram, {.group = kDeviceGroup}, spec.dram, cells, masters_of(spec, ports, cores))) {
  fabric::DramLines& lines = coherence_.dram_lines();
  connect_master({lines.dram_reads, lines.dram_data, lines.dram_writes, lines.dram_written}, 0, 0);
  for (const std::size_t place : ports) {
    const SocPortSpec& port = spec_.ports[place];
    const Scope scope = graph.scope(port.name);
    ports_.push_back({.reader = &graph.add<fabric::AxiReader>("reads", {.group = kDeviceGroup}, port.axi, kChannels),
                      .writer = &graph.add<fabric::AxiWriter>("writes", {.group = kDeviceGroup}, port.axi, kChannels)});
    port.route == SocRoute::memory ? connect_to_memory(port, ports_.back()) : connect_by_lines(port, ports_.back());
  }
}

MasterEnds SocBoard::port(std::size_t port) const {
  const auto& [reader, writer] = ports_[port];
  return {.regions = reader->regions, .data = reader->data, .stores = writer->stores, .written = writer->written};
}

void SocBoard::attach_core(Out<fabric::LineAccess>& accesses, In<fabric::LineResult>& results) {
  const int there = spec_.to_cache / 2;
  attach_client(accesses, results, there, spec_.to_cache - there);
}

void SocBoard::attach_uncached(fabric::CoreMemory& core) {
  const fabric::CoherenceAgent& l2 = spec_.coherence.agents.front();
  connect_master({core.reads, core.data, core.writes, core.written}, l2.to_home, l2.from_home);
}

void SocBoard::attach_client(Out<fabric::LineAccess>& accesses, In<fabric::LineResult>& results, int there, int back) {
  fabric::CoherentCache& cache = coherence_.cache(0);
  graph_.connect(accesses, cache.requests[clients_], coherence_.channel(there));
  graph_.connect(cache.results[clients_], results, coherence_.channel(back));
  ++clients_;
}

int SocBoard::cycles_of(Time time) const {
  return std::max(1, cycles(time, spec_.cpu.frequency));
}

/// So many cycles from the DRAM's controller, each way.
void SocBoard::connect_master(const Master& master, int there, int back) {
  const Time period = Time::seconds(1 / spec_.cpu.frequency.hertz());
  const ChannelOptions asked{.depth = kMasterBursts,
                             .latency = cycles_of(DramController::request_latency(spec_.dram)) + there,
                             .return_latency_time = period};
  const auto answered = [&](Time latency) {
    return ChannelOptions{.depth = kMasterBursts, .latency_time = latency + Time::fs(back * period.femtoseconds())};
  };
  graph_.connect(master.reads, dram_.reads[masters_], asked);
  graph_.connect(dram_.data[masters_], master.data, answered(DramController::read_latency(spec_.dram)));
  graph_.connect(master.writes, dram_.writes[masters_], asked);
  graph_.connect(dram_.written[masters_], master.written, answered(DramController::write_latency(spec_.dram)));
  ++masters_;
}

void SocBoard::connect_to_memory(const SocPortSpec& spec, const Port& port) {
  const auto& [reader, writer] = port;
  const ChannelOptions there = axi_requests(spec.axi, DramController::request_latency(spec_.dram));
  graph_.connect(reader->requests[0], dram_.reads[masters_], there);
  graph_.connect(dram_.data[masters_], reader->answers[0],
                 axi_answers(spec.axi, DramController::read_latency(spec_.dram)));
  graph_.connect(writer->writes[0], dram_.writes[masters_], there);
  graph_.connect(dram_.written[masters_], writer->answers[0],
                 axi_answers(spec.axi, DramController::write_latency(spec_.dram)));
  ++masters_;
}

void SocBoard::connect_by_lines(const SocPortSpec& spec, const Port& port) {
  fabric::AxiLines& lines = add_lines(spec, port);
  if (spec.route == SocRoute::cache) return attach_client(lines.accesses, lines.results, 1, 1);
  const int under_way = 2 * spec.axi.outstanding * lines_of(spec.axi, spec_.coherence.line);
  fabric::UncachedAgent& agent = coherence_.add_uncached_agent("agent", std::min(under_way, fabric::kLinesOfABridge));
  graph_.connect(lines.accesses, agent.requests, coherence_.channel(1));
  graph_.connect(agent.results, lines.results, coherence_.channel(1));
}

/// Half of the port's latency lies on the way there.
fabric::AxiLines& SocBoard::add_lines(const SocPortSpec& spec, const Port& port) {
  const auto& [reader, writer] = port;
  auto& lines = graph_.add<fabric::AxiLines>(
      "lines", {.clock = spec_.cpu, .group = kDeviceGroup},
      fabric::AxiLinesSpec{
          .line = spec_.coherence.line, .outstanding = spec.axi.outstanding, .burst = spec.axi.burst.count});
  const Time half = Time::fs(spec.axi.latency.femtoseconds() / 2);
  const ChannelOptions there{.depth = spec.axi.outstanding, .latency_time = half};
  const ChannelOptions back{.depth = spec.axi.outstanding,
                            .latency = cycles_of(spec.axi.latency - half),
                            .return_latency_time = spec.axi.beats(1)};
  graph_.connect(reader->requests[0], lines.reads, there);
  graph_.connect(lines.data, reader->answers[0], back);
  graph_.connect(writer->writes[0], lines.writes, there);
  graph_.connect(lines.written, writer->answers[0], back);
  return lines;
}

}  // namespace isthmus::platform
