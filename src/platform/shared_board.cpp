#include "isthmus/platform/shared_board.hpp"

#include <fmt/format.h>

#include <cmath>

#include "isthmus/platform/specs.hpp"
#include "platform/refuse.hpp"

namespace isthmus::platform {
namespace {

using fabric::LineAccess;
using fabric::LineResult;

constexpr int kAddressed = 2;   // cycles from a circuit's request to the cache without a page table
constexpr int kLeastThere = 2;  // cycles from a cache to the home and back, one each

/// In whole cycles of the cache's clock.
int cycles(Time time, Frequency clock) {
  return static_cast<int>(std::lround(time.seconds() * clock.hertz()));
}

/// Cycles of a latency that takes at least so many.
int at_least(int least, const Section& part, std::string_view key, Frequency clock) {
  const int count = cycles(part.time(key), clock);
  if (count < least)
    refuse(part.place_of(key), part.name_of(key), fmt::format("at least {} cycles of cache.clock", least),
           to_string(part.time(key)));
  return count;
}

fabric::ServicePhases phases_of(const Description& board) {
  const Section& translation = board.the("translation");
  const Section& reordering = board.the("reordering");
  const auto count = [](const Section& part, std::string_view key) { return static_cast<int>(part.count(key)); };
  return {.translation = translation.flag("enabled") ? count(translation, "latency") : kAddressed,
          .access = count(board.the("cache"), "access"),
          .reordering_read = count(reordering, "read"),
          .reordering_write = count(reordering, "write")};
}

/// The host's last-level cache, as far from the home as it answers sooner than memory.
fabric::CoherenceAgent host_agent(const Section& llc, Frequency clock, const fabric::CoherentCacheSpec& fpga) {
  if (!llc.flag("enabled"))
    refuse(llc.place_of("enabled"), llc.name_of("enabled"), "true on a board with a coherent cache", "false");
  if (llc.bytes("line").count != fpga.line)
    refuse(llc.place_of("line"), llc.name_of("line"), fmt::format("{} B, as cache.line", fpga.line),
           fmt::format("{} B", llc.bytes("line").count));
  const int away = at_least(kLeastThere, llc, "hit_latency", clock);
  return {.name = "host cache",
          .cache = {.size = llc.bytes("size"),
                    .ways = static_cast<int>(llc.count("ways")),
                    .line = fpga.line,
                    .reads_in_flight = fpga.reads_in_flight,
                    .writes_in_flight = fpga.writes_in_flight},
          .to_home = away / 2,
          .from_home = away - away / 2};
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
  const Section& qpi = board.the("qpi");
  const Section& cache = board.the("cache");
  const Frequency clock = cache.frequency("clock");
  const fabric::CoherentCacheSpec fpga = coherent_cache_spec(cache);
  const int memory = at_least(2, board.the("memory"), "latency", clock);
  const int there = at_least(memory + kLeastThere, qpi, "round_trip", clock) - memory;
  fabric::CoherenceSpec coherence{
      .clock = {.frequency = clock}, .line = fpga.line, .memory_latency = memory, .agents = {}};
  coherence.agents.push_back({.name = "cache", .cache = fpga, .to_home = there / 2, .from_home = there - there / 2});
  coherence.agents.push_back(host_agent(board.the("llc"), clock, fpga));
  return {.channel = qpi.channel(),
          .coherence = coherence,
          .phases = phases_of(board),
          .layer = {.reads_in_flight = fpga.reads_in_flight, .writes_in_flight = fpga.writes_in_flight},
          .ports = fpga.ports,
          .circuit = {.frequency = board.the("kernel").frequency("clock")},
          .table = page_table_spec(board.the("translation"))};
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
      coherence_(graph, spec_.coherence, memory, observer) {
  for (int port = 0; port < spec_.ports; ++port)
    layers_.push_back(&coherence_.add_service_layer(spec_.layer, spec_.phases, kFpga, static_cast<std::size_t>(port)));
}

void SharedBoard::attach_reads(int port, Out<LineAccess>& reads, In<LineResult>& results) {
  graph_.connect(reads, layer(port).reads, coherence_.channel(1));
  graph_.connect(layer(port).read_results, results, coherence_.channel(spec_.phases.reordering_read));
}

void SharedBoard::attach_writes(int port, Out<LineAccess>& writes, In<LineResult>& results) {
  graph_.connect(writes, layer(port).writes, coherence_.channel(1));
  graph_.connect(layer(port).write_results, results, coherence_.channel(spec_.phases.reordering_write));
}

void SharedBoard::leave_out_reads(int port) {
  auto& none = graph_.add<NoAccesses>(fmt::format("no reads {}", left_out_++), {.clock = spec_.circuit});
  attach_reads(port, none.accesses, none.results);
}

void SharedBoard::leave_out_writes(int port) {
  auto& none = graph_.add<NoAccesses>(fmt::format("no writes {}", left_out_++), {.clock = spec_.circuit});
  attach_writes(port, none.accesses, none.results);
}

void SharedBoard::attach_core(Out<LineAccess>& accesses, In<LineResult>& results) {
  fabric::CoherentCache& cache = coherence_.cache(kHost);
  graph_.connect(accesses, cache.requests[cores_], coherence_.channel(1));
  graph_.connect(cache.results[cores_], results, coherence_.channel(1));
  ++cores_;
}

std::vector<PartPlan> SharedBoard::parts() const {
  std::vector<PartPlan> plans{{.name = fabric::kReadsInFlight,
                               .keys = {"cache.reads_in_flight", "link.qpi.round_trip", "cache.clock"},
                               .counts = "reads"},
                              {.name = fabric::kWritesInFlight,
                               .keys = {"cache.writes_in_flight", "link.qpi.round_trip", "cache.clock"},
                               .counts = "writes"}};
  for (const fabric::ServiceLayer* each : layers_)
    for (PartPlan& plan : plans) plan.occupancies.push_back({graph_.id(*each), plan.name});
  return plans;
}

}  // namespace isthmus::platform
