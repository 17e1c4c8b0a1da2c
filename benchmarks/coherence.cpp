// A circuit that reads lines through a coherent cache: all hits, or all misses.
#include "isthmus/fabric/coherence/coherence.hpp"

#include <fmt/format.h>

#include <string>

#include "isthmus/base/error.hpp"
#include "isthmus/base/version.hpp"
#include "workload.hpp"

namespace isthmus::bench {
namespace {

using namespace fabric;

constexpr int kInFlight = 39;
constexpr int kLine = 64;
constexpr std::uint64_t kWarmLines = 64;     // that are read again and again
constexpr std::uint64_t kColdLines = 4096;   // four times the cache's
constexpr std::uint64_t kObserved = 10'000;  // accesses whose tokens are counted

struct Reader {
  Out<LineAccess> reads;
  std::uint64_t base = 0;
  std::uint64_t lines = 0;
  std::uint64_t count = 0;
  std::uint64_t sent = 0;
  void step() {
    LineAccess& access = reads.slot();
    access.kind = LineAccess::Kind::read;
    access.bytes = kLine;
    access.tag = static_cast<std::uint16_t>(sent);
    access.addr = base + sent % lines * kLine;
    ++sent;
  }
  bool done() const { return sent == count; }
};

/// The writer of a circuit that does not write.
struct NoWriter {
  Out<LineAccess> writes;
  void step() {}
  bool done() const { return true; }
};

struct Collector {
  In<LineResult> results;
  std::uint64_t in_order = 0;
  void step() { in_order += results.read_in_place().tag == static_cast<std::uint16_t>(in_order); }
};

struct Nothing {
  In<LineResult> results;
  void step() { results.read_in_place(); }
};

struct Pushes : engine::ChannelObserver {
  std::uint64_t count = 0;
  void pushed(int, Time) override { ++count; }
  void popped(int, Time) override {}
};

Measurement reads(std::uint64_t count, std::uint64_t lines, Frequency circuit, Frequency cache,
                  Pushes* pushes = nullptr) {
  Graph graph;
  PinnedMemory memory;
  const auto region = memory.allocate(Bytes{static_cast<std::int64_t>(lines) * kLine});
  CoherenceSpec spec{.clock = Clock{cache}, .memory_latency = 20, .agents = {}};
  const CoherentCacheSpec fpga{.size = Bytes{64 << 10U}, .reads_in_flight = kInFlight, .writes_in_flight = 28};
  const CoherentCacheSpec host{.size = Bytes{1 << 20U}, .ways = 16, .ports = 0};
  spec.agents = {{.name = "cache", .cache = fpga, .to_home = 18, .from_home = 19},
                 {.name = "host cache", .cache = host, .to_home = 2, .from_home = 2}};
  Coherence coherence(graph, spec, memory);
  ServiceLayer& layer = coherence.add_service_layer({kInFlight, 28}, {}, 0);
  const ActorOptions clocked{.clock = Clock{circuit}};
  auto& reader = graph.add<Reader>("reader", clocked);
  reader.base = region.addr;
  reader.lines = lines;
  reader.count = count;
  auto& collector = graph.add<Collector>("collector", clocked);
  graph.connect(reader.reads, layer.reads, coherence.channel(1));
  graph.connect(layer.read_results, collector.results, coherence.channel(3));
  graph.connect(graph.add<NoWriter>("no writer", clocked).writes, layer.writes);
  graph.connect(layer.write_results, graph.add<Nothing>("no writes", clocked).results);
  if (pushes != nullptr) graph.observe(pushes);
  const double begin = processor_seconds();
  graph.run();
  return {.seconds = processor_seconds() - begin, .tokens = count, .checksum = collector.in_order, .expected = count};
}

/// The same, once it is seen that each access passes so many channels.
Workload with_channels(std::uint64_t lines, Frequency circuit, Frequency cache, std::uint64_t channels) {
  return [=](std::uint64_t count) {
    Pushes pushes;
    reads(kObserved, lines, circuit, cache, &pushes);
    if (pushes.count < channels * kObserved)
      throw Error(fmt::format("expected {} tokens for an access, got {}", channels,
                              static_cast<double>(pushes.count) / static_cast<double>(kObserved)));
    return reads(count, lines, circuit, cache);
  };
}

}  // namespace
}  // namespace isthmus::bench

int main(int argc, char** argv) {
  using namespace isthmus::bench;
  constexpr auto mhz = isthmus::Frequency::mhz;
  return run_workload(argc, argv, std::string("Isthmus ") + isthmus::version(),
                      {{"hits", with_channels(kWarmLines, mhz(200), mhz(200), 4)},
                       {"hits-two-clocks", with_channels(kWarmLines, mhz(200), mhz(400), 4)},
                       {"misses", with_channels(kColdLines, mhz(200), mhz(200), 9)}});
}
