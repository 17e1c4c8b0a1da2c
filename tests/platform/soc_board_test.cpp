// A processor's cores and the FPGA's ports on a few shared lines, against what any coherent memory does.
#include "isthmus/platform/soc_board.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cstring>

#include "engine/drawn_dice.hpp"
#include "fabric/coherence_bench.hpp"

namespace isthmus::platform {
namespace {

using fabric::Client;
using fabric::kWord;
using fabric::LineAccess;
using fabric::LineResult;
using fabric::word_at;
using reference::Dice;

constexpr std::uint64_t kLine = 64;
constexpr std::size_t kHp = 0;
constexpr std::size_t kHpc = 1;
constexpr std::size_t kAcp = 2;
constexpr Time kLongest = Time::ms(5);  // a run takes less

/// A write of a line that holds `value` in each of its words.
void fill(fabric::AxiStore& store, std::uint64_t line, std::uint64_t value, bool last) {
  store.channel = 0;
  store.last = last;
  store.write.address = line * kLine;
  store.write.burst.bytes = kLine;
  for (std::uint64_t at = 0; at < kLine; at += kWord) std::memcpy(&store.write.burst.data[at], &value, kWord);
}

/// What a circuit does at a port.
struct PortUse {
  std::uint64_t id;
  int count;  ///< moves
  std::uint64_t lines;
};

/// Reads lines at random.
struct PortReader {
  Out<fabric::AxiRegion> regions{"regions"};
  In<fabric::AxiBurst> data{"data"};
  Random random;
  Timer timer;
  PortUse use;
  int moved = 0;
  std::vector<coherence::Operation> seen{};

  explicit PortReader(const PortUse& what) : use(what) {}
  void step() {
    const std::uint64_t first = random.below(use.lines);
    const std::uint64_t bytes = (1 + random.below(use.lines - first)) * kLine;
    const std::int64_t begin = timer.now().femtoseconds();
    regions.push({.at = {.channel = 0, .byte = first * kLine}, .bytes = bytes});
    for (std::uint64_t at = 0; at < bytes;) {
      const fabric::AxiBurst& burst = data.read_in_place();
      const std::int64_t end = timer.now().femtoseconds();
      for (std::uint64_t in = 0; in < burst.bytes; in += kWord)
        seen.push_back({false, (first * kLine + at + in) / kWord, word_at(&burst.data[in]), begin, end});
      at += burst.bytes;
    }
    ++moved;
  }
  bool done() const { return moved == use.count; }
};

/// Writes lines at random.
struct PortWriter {
  Out<fabric::AxiStore> stores{"stores"};
  In<fabric::AxiDone> written{"written"};
  Random random;
  Timer timer;
  PortUse use;
  int moved = 0;
  std::vector<coherence::Operation> seen{};

  explicit PortWriter(const PortUse& what) : use(what) {}
  void step() {
    const std::uint64_t value = (use.id << 32U) + static_cast<std::uint64_t>(moved) + 1;
    const std::uint64_t line = random.below(use.lines);
    const std::int64_t begin = timer.now().femtoseconds();
    fill(stores.slot(), line, value, true);
    written.read();
    const std::int64_t end = timer.now().femtoseconds();
    for (std::uint64_t at = 0; at < kLine; at += kWord)
      seen.push_back({true, (line * kLine + at) / kWord, value, begin, end});
    ++moved;
  }
  bool done() const { return moved == use.count; }
};

/// The board's, with little room.
SocSpec any_spec(Dice& dice) {
  SocSpec spec = soc_spec(load(file_of("model:zynq-ultrascale")));
  spec.coherence.depth = 1;
  fabric::CoherenceAgent& l2 = spec.coherence.agents.front();
  l2.cache.ways = dice.one_of({1, 2, 4});
  l2.cache.size = {static_cast<std::int64_t>(kLine) * l2.cache.ways * dice.number(1, 3)};
  l2.cache.reads_in_flight = dice.number(1, 4);
  l2.cache.writes_in_flight = dice.number(1, 4);
  l2.cache.random = dice.chance(50);
  l2.cache.fetches_lines = dice.chance(50);
  l2.to_home = dice.number(2, 40);
  l2.from_home = dice.number(2, 40);
  l2.snooped = {.interval = Time::ns(dice.number(1, 30)),
                .data = Time::ns(dice.number(1, 200)),
                .data_in_flight = dice.number(1, 2)};
  for (SocPortSpec& port : spec.ports) {
    port.axi.outstanding = dice.number(1, 4);
    port.axi.latency = Time::ns(dice.number(2, 100));
  }
  return spec;
}

void connect(Graph& graph, const Clock& clock, const MasterEnds& ends, auto& reader, auto& writer) {
  const ChannelOptions one = register_on(clock, 1);
  graph.connect(reader.regions, ends.regions, one);
  graph.connect(ends.data, reader.data, one);
  graph.connect(writer.stores, ends.stores, one);
  graph.connect(ends.written, writer.written, one);
}

class SharedLines {
 public:
  SharedLines(Dice& dice, const std::vector<std::size_t>& ports, std::uint64_t lines)
      : spec_(any_spec(dice)),
        lines_(lines),
        graph_(static_cast<std::uint64_t>(dice.between(1, 1 << 30))),
        cores_(dice.number(1, 4)),
        soc_((cells_.reserve(0, lines * kLine), graph_), spec_, cells_, ports, {.cached = cores_}) {
    for (int core = 0; core < cores_; ++core) add_core(dice, core);
    for (std::size_t port = 0; port < ports.size(); ++port) add_circuit(dice, port, spec_.ports[ports[port]].axi);
  }

  void run() { graph_.run({.limit = kLongest}); }

  std::string stuck() const {
    std::string text;
    for (const Client* core : clients_)
      if (!core->done()) text += "core ";
    for (const PortReader* reader : readers_)
      if (!reader->done()) text += "reader ";
    for (const PortWriter* writer : writers_)
      if (!writer->done()) text += "writer ";
    return text;
  }

  /// The operations, and a read of every word at the end, with the value that a core finds.
  std::vector<coherence::Operation> operations() {
    std::vector<coherence::Operation> all;
    for (const Client* core : clients_) all.insert(all.end(), core->seen.begin(), core->seen.end());
    for (const PortReader* reader : readers_) all.insert(all.end(), reader->seen.begin(), reader->seen.end());
    for (const PortWriter* writer : writers_) all.insert(all.end(), writer->seen.begin(), writer->seen.end());
    for (std::uint64_t line = 0; line < lines_; ++line) {
      const std::array<std::byte, kLine> bytes = at_rest(line);
      for (std::uint64_t at = 0; at < kLine; at += kWord)
        all.push_back({false, (line * kLine + at) / kWord, word_at(&bytes[at]), fabric::kEnd, fabric::kEnd});
    }
    return all;
  }

 private:
  std::array<std::byte, kLine> at_rest(std::uint64_t line) {
    std::array<std::byte, kLine> bytes{};
    cells_.read(line * kLine, bytes);
    fabric::LineStore& cache = soc_.cache().lines();
    if (fabric::LineStore::Way* way = cache.find(line)) std::memcpy(bytes.data(), cache.bytes(*way), kLine);
    return bytes;
  }

  void add_core(Dice& dice, int core) {
    auto& client = graph_.add<Client>("core " + std::to_string(core), {.clock = spec_.cpu}, 1,
                                      fabric::ClientSpec{.id = core + 1,
                                                         .count = dice.number(20, 100),
                                                         .at_once = dice.number(1, 4),
                                                         .lines = static_cast<int>(lines_),
                                                         .line = static_cast<int>(kLine),
                                                         .writes = dice.one_of({10, 50, 90}),
                                                         .idle = dice.one_of({0, 50, 95}),
                                                         .uncached = dice.chance(50),
                                                         .maintains = dice.chance(70)},
                                      std::uint64_t{0});
    clients_.push_back(&client);
    soc_.attach_core(client.requests[0], client.results[0]);
  }

  void add_circuit(Dice& dice, std::size_t port, const fabric::AxiSpec& axi) {
    const Clock clock{.frequency = axi.clock};
    const MasterEnds ends = soc_.port(port);
    const PortUse use{.id = 100 + port, .count = dice.number(5, 40), .lines = lines_};
    readers_.push_back(&graph_.add<PortReader>("reader " + std::to_string(port), {.clock = clock}, use));
    writers_.push_back(&graph_.add<PortWriter>("writer " + std::to_string(port), {.clock = clock}, use));
    connect(graph_, clock, ends, *readers_.back(), *writers_.back());
  }

  SocSpec spec_;
  std::uint64_t lines_;
  fabric::DramCells cells_;
  Graph graph_;
  int cores_;
  SocBoard soc_;
  std::vector<Client*> clients_;
  std::vector<PortReader*> readers_;
  std::vector<PortWriter*> writers_;
};

RC_GTEST_PROP(SocBoard, KeepsWhatCoresAndItsCoherentPortsShareCoherent, ()) {
  Dice dice = reference::drawn_dice();
  SharedLines shared(dice, {kHpc, kAcp}, static_cast<std::uint64_t>(dice.number(1, 6)));
  shared.run();
  RC_ASSERT(shared.stuck() == "");
  RC_ASSERT(coherence::disorder(shared.operations()) == "");
}

TEST(SocBoard, GivesAPortOfMemoryStaleBytesWhereNothingIsFlushed) {
  int stale = 0;
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    Dice dice(seed);
    SharedLines shared(dice, {kHp}, 4);
    shared.run();
    EXPECT_EQ(shared.stuck(), "");
    if (!coherence::disorder(shared.operations()).empty()) ++stale;
  }
  EXPECT_GE(stale, 10) << "else the checker sees nothing";
}

/// Writes lines and hands them over, round by round; takes back what the other side has made of them.
struct Maintainer {
  Out<LineAccess> accesses{"accesses"};
  In<LineResult> results{"results"};
  Out<std::uint64_t> written{"written"};
  In<std::uint64_t> answered{"answered"};
  std::uint64_t lines;
  std::uint64_t rounds;
  std::uint64_t round = 1;
  std::uint64_t stale = 0;

  Maintainer(std::uint64_t of, std::uint64_t times) : lines(of), rounds(times) {}
  void step() {
    for (std::uint64_t line = 0; line < lines; ++line) access(LineAccess::Kind::write, line, round);
    maintain();
    written.push(round);
    const std::uint64_t expected = answered.read();
    maintain();
    for (std::uint64_t line = 0; line < lines; ++line)
      if (access(LineAccess::Kind::read, line, 0) != expected) ++stale;
    ++round;
  }
  bool done() const { return round > rounds; }

  void maintain() {
    for (std::uint64_t line = 0; line < lines; ++line) access(LineAccess::Kind::flush, line, 0);
    access(LineAccess::Kind::fence, 0, 0);
  }
  std::uint64_t access(LineAccess::Kind kind, std::uint64_t line, std::uint64_t value) {
    LineAccess& access = fabric::begin_access(accesses, kind, line * kLine, kLine, 0);
    if (kind == LineAccess::Kind::fence) access.bytes = 0;
    for (std::uint64_t at = 0; at < kLine; at += kWord) std::memcpy(&access.data[at], &value, kWord);
    return word_at(results.read_in_place().data.data());
  }
};

/// Reads what has been handed over, and writes twice that.
struct Doubler {
  In<std::uint64_t> handed{"handed"};
  Out<std::uint64_t> answers{"answers"};
  Out<fabric::AxiRegion> regions{"regions"};
  In<fabric::AxiBurst> data{"data"};
  Out<fabric::AxiStore> stores{"stores"};
  In<fabric::AxiDone> written{"written"};
  std::uint64_t lines;
  std::uint64_t stale = 0;

  explicit Doubler(std::uint64_t of) : lines(of) {}
  void step() {
    const std::uint64_t value = handed.read();
    regions.push({.at = {}, .bytes = lines * kLine});
    for (std::uint64_t got = 0; got < lines * kLine;) {
      const fabric::AxiBurst& burst = data.read_in_place();
      for (std::uint64_t at = 0; at < burst.bytes; at += kWord)
        if (word_at(&burst.data[at]) != value) ++stale;
      got += burst.bytes;
    }
    const std::uint64_t twice = 2 * value;
    for (std::uint64_t line = 0; line < lines; ++line) fill(stores.slot(), line, twice, line + 1 == lines);
    written.read();
    answers.push(twice);
  }
};

RC_GTEST_PROP(SocBoard, GivesEveryPortWhatACoreHasFlushedAndTheCoreWhatThePortHasWritten, ()) {
  Dice dice = reference::drawn_dice();
  const SocSpec spec = any_spec(dice);
  const auto lines = static_cast<std::uint64_t>(dice.number(1, 12));
  const std::vector<std::size_t> ports{static_cast<std::size_t>(dice.one_of({0, 0, 1, 2}))};
  fabric::DramCells cells;
  cells.reserve(0, lines * kLine);
  Graph graph;
  SocBoard soc(graph, spec, cells, ports, {.cached = 1});
  auto& core = graph.add<Maintainer>("core", {.clock = spec.cpu}, lines, std::uint64_t{4});
  const Clock clock{.frequency = spec.ports[ports[0]].axi.clock};
  auto& circuit = graph.add<Doubler>("circuit", {.clock = clock}, lines);
  soc.attach_core(core.accesses, core.results);
  const MasterEnds ends = soc.port(0);
  connect(graph, clock, ends, circuit, circuit);
  graph.connect(core.written, circuit.handed);
  graph.connect(circuit.answers, core.answered);
  graph.run({.limit = kLongest});
  RC_ASSERT(core.done());
  RC_ASSERT(core.stale == 0U);
  RC_ASSERT(circuit.stale == 0U);
}

/// Flushes a line that it has read, or written, and waits for memory.
struct Barrier {
  Out<LineAccess> accesses{"accesses"};
  In<LineResult> results{"results"};
  Timer timer;
  LineAccess::Kind kind;
  Time took;
  bool over = false;

  explicit Barrier(LineAccess::Kind what) : kind(what) {}
  void step() {
    access(kind, kLine);
    access(LineAccess::Kind::flush, kLine);
    const Time start = timer.now();
    access(LineAccess::Kind::fence, 0);
    took = timer.now() - start;
    over = true;
  }
  bool done() const { return over; }

  void access(LineAccess::Kind what, std::uint64_t bytes) {
    fabric::begin_access(accesses, what, 0, bytes, 0);
    results.read_in_place();
  }
};

Time barrier_behind(LineAccess::Kind kind) {
  const SocSpec spec =
      soc_spec(load(file_of("model:zynq-ultrascale"), std::vector<std::string>{"dram.idle_latency=1us"}));
  fabric::DramCells cells;
  cells.reserve(0, kLine);
  Graph graph;
  SocBoard soc(graph, spec, cells, {}, {.cached = 1});
  auto& core = graph.add<Barrier>("core", {.clock = spec.cpu}, kind);
  soc.attach_core(core.accesses, core.results);
  graph.run();
  return core.took;
}

TEST(SocBoard, ABarrierWaitsUntilMemoryHasWhatWasFlushed) {
  const Time clean = barrier_behind(LineAccess::Kind::read);
  const Time modified = barrier_behind(LineAccess::Kind::write);
  EXPECT_LT(clean, Time::ns(100)) << "the way to the home and back";
  EXPECT_GT(modified, clean + Time::ns(900)) << "nearly all of a microsecond to the DRAM and back";
}

}  // namespace
}  // namespace isthmus::platform
