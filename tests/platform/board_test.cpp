// A board in a graph: streams reach the same memory as everybody else.
#include "isthmus/platform/board.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "base/noise.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/fabric/device_memory.hpp"
#include "isthmus/fabric/dram.hpp"
#include "isthmus/fabric/pcie_link.hpp"
#include "isthmus/platform/link.hpp"
#include "isthmus/stream/host_link.hpp"

namespace isthmus::platform {
namespace {

constexpr auto kWord = static_cast<std::size_t>(kWordBytes);

Word mixed(const Word& a, const Word& b) {
  Word sum{};
  for (std::size_t i = 0; i < kWord; ++i) sum.bytes.at(i) = a.bytes.at(i) ^ b.bytes.at(i);
  return sum;
}

/// The places of an application's table in device memory, and of its results.
struct Layout {
  std::uint64_t table;
  std::uint64_t results;
  int words;       ///< of the stream
  int of_request;  ///< words
};

/// Asks for the table in requests of a few words.
struct TableReader {
  Out<DramReadReq> requests{"requests"};
  Layout layout;
  int asked = 0;
  explicit TableReader(const Layout& where) : layout(where) {}
  void step() {
    const int now = std::min(layout.of_request, layout.words - asked);
    requests.push(
        {.num = static_cast<std::uint8_t>(now), .addr = layout.table + static_cast<std::uint64_t>(asked) * kWord});
    asked += now;
  }
  bool done() const { return asked == layout.words; }
};

/// Mixes each word of the stream with the next of the table, into memory and back to the host.
struct Mixer {
  In<StreamWord> in{"in"};
  In<DramReadResp> table{"table"};
  Out<DramWriteApply> requests{"requests"};
  Out<DramWriteData> words{"words"};
  Out<StreamWord> out{"out"};
  Layout layout;
  int announced = 0;
  int done_words = 0;
  explicit Mixer(const Layout& where) : layout(where) {}
  void step() {
    if (announced == done_words) {
      const int now = std::min(layout.of_request, layout.words - announced);
      requests.push({.num = static_cast<std::uint8_t>(now),
                     .addr = layout.results + static_cast<std::uint64_t>(announced) * kWord});
      announced += now;
    }
    const StreamWord word = in.read();
    const Word result = mixed(word.data, table.read().data);
    words.push({result});
    out.push({.data = result, .last = word.last});
    ++done_words;
  }
  bool done() const { return done_words == layout.words; }
};

struct Producer {
  HostInput link;
  HostControl control{Time::ns(1)};
  const std::vector<std::byte>& sent;
  bool over = false;
  Producer(PinnedMemory& memory, const std::vector<std::byte>& bytes) : link(memory, Time::ns(100)), sent(bytes) {}
  void step() {
    for (std::span<const std::byte> rest = sent; !rest.empty();) {
      Buffer buffer = link.acquire();
      const std::size_t now = std::min(rest.size(), buffer.span().size());
      buffer.shrink(now);
      std::ranges::copy(rest.first(now), buffer.span().begin());
      link.commit(std::move(buffer));
      rest = rest.subspan(now);
    }
    over = true;
  }
  bool done() const { return over; }
};

struct Consumer {
  HostOutput link;
  std::vector<std::byte> received{};
  std::size_t expected;
  Consumer(PinnedMemory& memory, std::size_t bytes) : link(memory, Time::ns(100)), expected(bytes) {}
  void step() {
    const Buffer buffer = link.receive();
    received.insert(received.end(), buffer.span().begin(), buffer.span().end());
  }
  bool done() const { return received.size() >= expected; }
};

struct Outcome {
  std::vector<std::byte> received;
  std::vector<std::byte> stored;
  RunReport report;
};

Outcome run(const Description& platform, const Layout& layout, const std::vector<std::byte>& sent,
            const std::vector<std::byte>& table) {
  const BoardSpec spec = board_spec(platform);
  fabric::DeviceMemory memory = device_memory(spec);
  const auto channel = static_cast<std::uint64_t>(spec.memory->channel_capacity.count);
  const auto each_word = [&](std::uint64_t at, auto what) {
    for (std::size_t i = 0; i < sent.size(); i += kWord) what(memory.cells((at + i) / channel), (at + i) % channel, i);
  };
  for (const std::uint64_t at : {layout.table, layout.results})
    each_word(at, [](fabric::DramCells& cells, std::uint64_t byte, std::size_t) { cells.reserve(byte, kWord); });
  each_word(layout.table, [&](fabric::DramCells& cells, std::uint64_t byte, std::size_t i) {
    cells.write(byte, std::span(table).subspan(i, kWord));
  });

  Graph graph;
  Board board(graph, spec, memory);
  HostLinkSpec link_spec = host_link_spec(platform);
  HostLink link(graph, board.links().front(), link_spec);
  PinnedMemory& pinned = board.links().front().memory;
  auto& producer = graph.add<Producer>("producer", {}, pinned, sent);
  auto& consumer = graph.add<Consumer>("consumer", {}, pinned, sent.size());
  const ActorOptions clocked{.clock = Clock{platform.the("kernel").frequency("clock")}};
  auto& reader = graph.add<TableReader>("reader", clocked, layout);
  auto& mixer = graph.add<Mixer>("mixer", clocked, layout);
  const DramReadEnds reads = board.add_streaming_reader({.name = "table", .clock = *clocked.clock});
  const DramWriteEnds writes = board.add_streaming_writer({.name = "results", .clock = *clocked.clock});
  board.connect_memory();
  link.connect(producer.link);
  link.connect(producer.control);
  link.connect(consumer.link);
  graph.unused(link.control_to_kernel());
  graph.unused(link.control_from_kernel());
  graph.connect(link.to_kernel(), mixer.in, {.depth = 64});
  graph.connect(mixer.out, link.from_kernel(), {.depth = 64});
  graph.connect(reader.requests, reads.requests);
  graph.connect(reads.words, mixer.table, {.depth = 64});
  graph.connect(mixer.requests, writes.requests);
  graph.connect(mixer.words, writes.words, {.depth = 64});

  Outcome outcome;
  outcome.report = graph.run();
  outcome.received = consumer.received;
  outcome.stored.resize(sent.size());
  each_word(layout.results, [&](fabric::DramCells& cells, std::uint64_t byte, std::size_t i) {
    cells.read(byte, std::span(outcome.stored).subspan(i, kWord));
  });
  return outcome;
}

TEST(Board, AStreamReadsAndWritesDeviceMemoryOnItsWay) {
  const Description platform = load(file_of("model:aws-f1"), std::vector<std::string>{"device.dram.kernel_channels=2"});
  const auto channel = static_cast<std::uint64_t>(board_spec(platform).memory->channel_capacity.count);
  EXPECT_TRUE(rc::check([&] {
    const int words = *rc::gen::inRange(1, 600);
    // The table may lie at the border of two channels.
    const auto before = static_cast<std::uint64_t>(*rc::gen::inRange(0, 100)) * kWord;
    const Layout layout{.table = channel - before,
                        .results = static_cast<std::uint64_t>(*rc::gen::inRange(0, 200)) * kWord,
                        .words = words,
                        .of_request = *rc::gen::inRange(1, 65)};
    const auto bytes = static_cast<std::size_t>(words) * kWord;
    const auto sent = noise(bytes, *rc::gen::arbitrary<unsigned>());
    const auto table = noise(bytes, *rc::gen::arbitrary<unsigned>());
    std::vector<std::byte> expected(bytes);
    std::ranges::transform(sent, table, expected.begin(), std::bit_xor<>());
    const Outcome outcome = run(platform, layout, sent, table);
    RC_ASSERT(outcome.received == expected);
    RC_ASSERT(outcome.stored == expected);
  }));
}

TEST(Board, AStreamIsHeldUpByTheMemoryThatItUses) {
  const auto elapsed = [](std::vector<std::string> overrides) {
    const Description platform = load(file_of("model:aws-f1"), overrides);
    const Layout layout{.table = 0, .results = 1 << 20, .words = 8192, .of_request = 16};
    const auto bytes = noise(static_cast<std::size_t>(layout.words) * kWord, 1);
    return run(platform, layout, bytes, bytes).report.end.seconds();
  };
  const double plain = elapsed({});
  // One burst of 64 bytes under way: each takes the whole latency of the memory, 1 us and more here.
  const double slow = elapsed({"device.axi.outstanding=1", "device.axi.burst=1", "device.axi.latency=1us"});
  EXPECT_GT(slow, 8192 * 1e-6);
  EXPECT_LT(plain, slow / 10);
}

}  // namespace
}  // namespace isthmus::platform
