// How long hits and misses take, and how many are under way: against sums of what they pass.
#include <gmock/gmock.h>

#include <cstdlib>

#include "base/refusal.hpp"
#include "isthmus/fabric/coherence/coherence.hpp"

namespace isthmus::fabric {
namespace {

using testing::Each;
using testing::HasSubstr;

constexpr int kLine = 64;
using Kind = LineAccess::Kind;

/// One line after the other, each when so many at most are under way; keeps when each went and came.
struct Circuit {
  Out<LineAccess> requests{"requests"};
  In<LineResult> results{"results"};
  Timer timer;
  Kind kind;
  std::vector<std::uint64_t> addresses;
  std::size_t at_once;
  Time start;
  std::vector<Time> begins{};
  std::vector<Time> ends{};

  Circuit(Kind what, std::vector<std::uint64_t> where, std::size_t under_way, Time from)
      : kind(what), addresses(std::move(where)), at_once(under_way), start(from) {}
  void step() {
    timer.wait_until(start);
    if (results.pull_in_place() != nullptr) ends.push_back(timer.now());
    if (begins.size() == addresses.size() || begins.size() - ends.size() >= at_once) return;
    LineAccess& access = requests.slot();
    access.kind = kind;
    access.bytes = kLine;
    access.tag = static_cast<std::uint16_t>(begins.size());
    access.addr = addresses[begins.size()];
    access.data = {};
    begins.push_back(timer.now());
  }
  bool done() const { return ends.size() == addresses.size(); }
};

struct Core {
  Out<LineAccess> requests{"requests"};
  In<LineResult> results{"results"};
  Kind kind;
  std::vector<std::uint64_t> addresses;
  std::size_t next = 0;
  Core(Kind what, std::vector<std::uint64_t> where) : kind(what), addresses(std::move(where)) {}
  void step() {
    LineAccess& access = requests.slot();
    access.kind = kind;
    access.bytes = kLine;
    access.addr = addresses[next++];
    access.data = {};
    results.read_in_place();
  }
  bool done() const { return next == addresses.size(); }
};

/// choi2019's numbers of the Xeon+FPGA v1 on 200 MHz: cycles of 5 ns.
struct Board {
  int there = 18;
  int back = 19;
  int memory = 20;
  int last_level = 4;  ///< of the host's cache, from the home and back to it
  ServicePhases phases{};
  int reads_in_flight = 39;
  int writes_in_flight = 28;
};

constexpr std::int64_t kCycle = 5;  // ns

struct Passes {
  std::vector<std::uint64_t> lines;  ///< numbers
  Kind kind = Kind::read;
  std::size_t at_once = 1;
  std::vector<std::uint64_t> cpu_before{};  ///< lines that a core
  Kind cpu_kind = Kind::write;              ///< accesses before the circuit does
};

constexpr Time kAfterTheCore = Time::us(100);

/// When each access began and ended.
Circuit& build(Graph& graph, PinnedMemory& memory, const Board& board, const Passes& passes) {
  const auto base = memory.allocate(Bytes{std::int64_t{1} << 22U}).addr;
  const Clock clock{Frequency::mhz(200)};
  CoherenceSpec spec{.clock = clock, .memory_latency = board.memory, .agents = {}};
  const CoherentCacheSpec fpga{
      .size = Bytes{64 << 10U}, .reads_in_flight = board.reads_in_flight, .writes_in_flight = board.writes_in_flight};
  const CoherentCacheSpec host{.size = Bytes{1 << 20U}, .ways = 16};
  spec.agents.push_back({.name = "cache", .cache = fpga, .to_home = board.there, .from_home = board.back});
  spec.agents.push_back({.name = "host cache",
                         .cache = host,
                         .to_home = board.last_level / 2,
                         .from_home = board.last_level - board.last_level / 2});
  Coherence coherence(graph, spec, memory);
  const auto addresses = [&](std::vector<std::uint64_t> lines) {
    for (std::uint64_t& line : lines) line = base + line * kLine;
    return lines;
  };
  ServiceLayer& layer = coherence.add_service_layer({board.reads_in_flight, board.writes_in_flight}, board.phases, 0);
  auto& circuit = graph.add<Circuit>("circuit", {.clock = clock}, passes.kind, addresses(passes.lines), passes.at_once,
                                     passes.cpu_before.empty() ? Time{} : kAfterTheCore);
  auto& idle =
      graph.add<Circuit>("idle", {.clock = clock}, passes.kind, std::vector<std::uint64_t>{}, std::size_t{1}, Time{});
  const bool write = passes.kind == Kind::write;
  Circuit& reader = write ? idle : circuit;
  Circuit& writer = write ? circuit : idle;
  graph.connect(reader.requests, layer.reads, coherence.channel(1));
  graph.connect(layer.read_results, reader.results, coherence.channel(board.phases.reordering_read));
  graph.connect(writer.requests, layer.writes, coherence.channel(1));
  graph.connect(layer.write_results, writer.results, coherence.channel(board.phases.reordering_write));
  auto& core = graph.add<Core>("core", {.clock = clock}, passes.cpu_kind, addresses(passes.cpu_before));
  graph.connect(core.requests, coherence.cache(1).requests[0], coherence.channel(1));
  graph.connect(coherence.cache(1).results[0], core.results, coherence.channel(1));
  return circuit;
}

/// In ns.
std::vector<std::int64_t> latencies(const Board& board, const Passes& passes) {
  Graph graph;
  PinnedMemory memory;
  const Circuit& circuit = build(graph, memory, board, passes);
  graph.run();
  std::vector<std::int64_t> each;
  for (std::size_t i = 0; i < circuit.ends.size(); ++i)
    each.push_back((circuit.ends[i] - circuit.begins[i]).femtoseconds() / Time::ns(1).femtoseconds());
  return each;
}

std::vector<std::uint64_t> lines(std::uint64_t count) {
  std::vector<std::uint64_t> all(count);
  for (std::uint64_t i = 0; i < count; ++i) all[i] = i;
  return all;
}

TEST(CoherentCache, AHitTakesItsPhasesAndAMissTheRoundTripBesides) {
  EXPECT_EQ(latencies({}, {.lines = {0, 0, 0}}), (std::vector<std::int64_t>{355, 70, 70}));
  EXPECT_EQ(latencies({}, {.lines = {0, 0, 0}, .kind = Kind::write}), (std::vector<std::int64_t>{345, 60, 60}));
}

TEST(CoherentCache, TheRoundTripMovesMissesAndNotHits) {
  const Board far{.there = 28, .back = 29};
  EXPECT_EQ(latencies(far, {.lines = {0, 0}}), (std::vector<std::int64_t>{355 + 20 * kCycle, 70}));
  const Board slow{.phases = {.access = 17}};
  EXPECT_EQ(latencies(slow, {.lines = {0, 0}}), (std::vector<std::int64_t>{355 + 10 * kCycle, 70 + 10 * kCycle}));
}

TEST(CoherentCache, ALineThatTheHostHasModifiedComesFromItsCacheInPlaceOfMemory) {
  const Board board{.memory = 20, .last_level = 4};
  EXPECT_EQ(latencies(board, {.lines = {0, 0, 1}, .cpu_before = {0}}),
            (std::vector<std::int64_t>{355 - (20 - 4) * kCycle, 70, 355}));
}

TEST(CoherentCache, AReadOnceLeavesNothingBehind) {
  EXPECT_THAT(latencies({}, {.lines = {0, 0, 0}, .kind = Kind::read_once}), Each(355));
}

TEST(CoherentCache, TwoLinesOfOneSetMakeWayForEachOther) {
  const std::uint64_t sets = 1024;
  EXPECT_THAT(latencies({}, {.lines = {0, sets, 0, sets}}), Each(355));
  EXPECT_THAT(latencies({}, {.lines = {0, sets, 0, sets}, .kind = Kind::write}), Each(345)) << "written back beside";
}

// A place is taken when the request comes to the service layer, a cycle after it left, and is free once the result has
// left, three before it comes. Requests come one a cycle.
TEST(CoherentCache, AsManyReadsMissAtOnceAsThereAreResultsPlaces) {
  constexpr std::int64_t kReads = 1000;
  constexpr std::int64_t kMiss = 71;
  constexpr std::int64_t kHeld = kMiss - 1 - 3;
  for (const int in_flight : {1, 8, 39}) {
    Graph graph;
    PinnedMemory memory;
    const Board board{.reads_in_flight = in_flight};
    const Circuit& circuit = build(graph, memory, board, {.lines = lines(kReads), .at_once = 4 * 39});
    graph.run();
    const std::int64_t last = kReads - 1;
    const std::int64_t took = (circuit.ends.back() - circuit.begins.front()).femtoseconds();
    const Time expected = Time::ns((last / in_flight * kHeld + last % in_flight + kMiss) * kCycle);
    EXPECT_LE(std::abs(took - expected.femtoseconds()), Time::ns(kCycle).femtoseconds()) << in_flight << " in flight";
  }
}

TEST(CoherentCache, RefusesWhatCannotBe) {
  const auto refusal = [](const CoherentCacheSpec& spec) {
    Graph graph;
    return isthmus::refusal(
        [&] { graph.add<CoherentCache>("cache", {.clock = Clock{Frequency::mhz(200)}}, spec, std::size_t{0}); });
  };
  EXPECT_EQ(refusal({.size = Bytes{64}}), "");
  EXPECT_THAT(refusal({.size = Bytes{127}, .ways = 2}), HasSubstr("expected at least 128 B, a set of it, got 127 B"));
  EXPECT_THAT(refusal({.size = Bytes{4096}, .line = 96}), HasSubstr("a power of two up to 128 B, got 96 B"));
  EXPECT_THAT(refusal({.size = Bytes{4096}, .line = 256}), HasSubstr("got 256 B"));
  EXPECT_THAT(refusal({.size = Bytes{4096}, .ports = -1}), HasSubstr("0 ports or more, got -1"));
  EXPECT_THAT(refusal({.size = Bytes{4096}, .ways = 0}), HasSubstr("1 way or more, got 0"));
  EXPECT_THAT(refusal({.size = Bytes{4096}, .writes_in_flight = 0}), HasSubstr("got 8 and 0"));
}

TEST(Home, FillsAnotherCacheThanTheOneItRemembersTheLinesOf) {
  const ActorOptions clocked{.clock = Clock{Frequency::mhz(200)}};
  Graph graph;
  graph.add<Home>("home", clocked, HomeSpec{.filled = 1, .remembered = 0});
  EXPECT_THROW(graph.add<Home>("another", clocked, HomeSpec{.filled = 1, .remembered = 1}), Error);
}

}  // namespace
}  // namespace isthmus::fabric
