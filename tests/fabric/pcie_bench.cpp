#include "fabric/pcie_bench.hpp"

#include <algorithm>
#include <cstring>

namespace isthmus::fabric {
namespace {

constexpr Time kHandOver = Time::ns(1);
constexpr ChannelOptions kOnHost{.depth = 4, .latency_time = kHandOver, .return_latency_time = kHandOver};

/// A word that its place and the seed determine (splitmix64, Steele et al. 2014).
Word word_at(std::uint64_t seed, std::uint64_t index) {
  Word word;
  for (std::size_t i = 0; i < word.bytes.size(); i += 8) {
    std::uint64_t z = seed + (index * 8 + i / 8 + 1) * 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    z ^= z >> 31U;
    std::memcpy(word.bytes.data() + i, &z, 8);
  }
  return word;
}

struct Reader {
  Out<PcieReadReq> requests;
  std::uint64_t base;
  const Traffic& traffic;
  int sent = 0;
  Reader(std::uint64_t at, const Traffic& what) : base(at), traffic(what) {}
  void step() {
    const auto bytes = static_cast<std::uint64_t>(traffic.read_words * kWordBytes);
    requests.push({static_cast<std::uint8_t>(traffic.read_words), base + static_cast<std::uint64_t>(sent++) * bytes});
  }
  bool done() const { return sent == traffic.reads; }
};

struct ReadSink {
  In<PcieReadResp> data;
  const Traffic& traffic;
  std::uint64_t words = 0;
  bool right = true;
  Time first;
  Time last;
  Timer timer;
  explicit ReadSink(const Traffic& what) : traffic(what) {}
  void step() {
    const PcieReadResp word = data.read();
    if (words == 0) first = timer.now();
    last = timer.now();
    right = right && word.data.bytes == word_at(traffic.seed, words).bytes;
    ++words;
  }
  bool done() const { return false; }
};

struct Writer {
  Out<PcieWriteApply> requests{"requests"};
  Out<PcieWriteData> data{"data"};
  std::uint64_t base;
  const Traffic& traffic;
  std::uint64_t words = 0;
  int sent = 0;
  Writer(std::uint64_t at, const Traffic& what) : base(at), traffic(what) {}
  void step() {
    requests.push({static_cast<std::uint8_t>(traffic.write_words), base + words * kWordBytes});
    for (int i = 0; i < traffic.write_words; ++i) data.push({word_at(~traffic.seed, words++)});
    ++sent;
  }
  bool done() const { return sent == traffic.writes; }
};

struct WriteSink {
  In<PcieWriteDone> dones;
  Time last;
  Timer timer;
  void step() {
    dones.read();
    last = timer.now();
  }
  bool done() const { return false; }
};

/// Host software that does nothing until all traffic is long over.
struct Idle {
  Out<MmioRequest> requests;
  In<DeviceMessage> messages;
  Time until;
  bool over = false;
  Timer timer;
  explicit Idle(Time time) : until(time) {}
  void step() {
    timer.wait(until);
    over = true;
  }
  bool done() const { return over; }
};

struct NoRegisters {
  In<MmioRequest> requests;
  Out<DeviceMessage> replies;
  void step() { requests.read(); }
  bool done() const { return false; }
};

/// Long after what the traffic takes on the slowest link: one lane of generation 1.
Time long_after(const Traffic& traffic) {
  return Time::us(100 + traffic.reads * traffic.read_words + traffic.writes * traffic.write_words);
}

double gbps(std::uint64_t words, Time time) {
  return time > Time{} ? static_cast<double>(words * kWordBytes) / time.seconds() * 1e-9 : 0;
}

}  // namespace

LinkRun run_link(const PcieLinkSpec& spec, const Traffic& traffic, const HostMemorySpec& memory) {
  Graph graph;
  PcieLink link = add_pcie_link(graph, spec, memory);
  const auto read_words = static_cast<std::uint64_t>(traffic.reads) * static_cast<std::uint64_t>(traffic.read_words);
  const auto write_words = static_cast<std::uint64_t>(traffic.writes) * static_cast<std::uint64_t>(traffic.write_words);
  const auto from = link.memory.allocate(Bytes{static_cast<std::int64_t>((read_words + 1) * kWordBytes)});
  const auto to = link.memory.allocate(Bytes{static_cast<std::int64_t>((write_words + 1) * kWordBytes)});
  for (std::uint64_t i = 0; i < read_words; ++i)
    std::ranges::copy(word_at(traffic.seed, i).bytes, from.bytes.subspan(i * kWordBytes).begin());

  const ActorOptions clock{.clock = spec.user_clock};
  auto& reader = graph.add<Reader>("reader", clock, from.addr, traffic);
  auto& read_sink = graph.add<ReadSink>("read sink", clock, traffic);
  auto& writer = graph.add<Writer>("writer", clock, to.addr, traffic);
  auto& write_sink = graph.add<WriteSink>("write sink", clock);
  auto& idle = graph.add<Idle>("idle host", {}, long_after(traffic));
  auto& registers = graph.add<NoRegisters>("no registers", clock);
  graph.connect(reader.requests, link.read_requests);
  graph.connect(link.read_data, read_sink.data, {.depth = 512});
  graph.connect(writer.requests, link.write_requests, {.depth = 4});
  graph.connect(writer.data, link.write_data, {.depth = 64});
  graph.connect(link.writes_done, write_sink.dones, {.depth = 4});
  graph.connect(idle.requests, link.mmio, kOnHost);
  graph.connect(link.host_messages, idle.messages, kOnHost);
  graph.connect(link.device_mmio, registers.requests);
  graph.connect(registers.replies, link.device_messages);

  LinkRun run;
  run.report = graph.run();
  run.first_word = read_sink.first;
  run.read_gbps = gbps(read_words, read_sink.last);
  run.write_gbps = gbps(write_words, write_sink.last);
  run.read_back_right = read_sink.right && read_sink.words == read_words;
  run.written_right = true;
  for (std::uint64_t i = 0; i < write_words; ++i)
    run.written_right = run.written_right && std::ranges::equal(word_at(~traffic.seed, i).bytes,
                                                                to.bytes.subspan(i * kWordBytes, kWordBytes));
  run.up_credits = link.to_host.credits();
  run.up_kept = link.host.unreturned();
  run.tags_at_rest = link.reader.free_tags();
  for (const auto& channel : run.report.channels)
    if (channel.name.find("freed_tags") != std::string::npos) run.tags_at_rest += channel.pushed - channel.popped;
  run.up_wire_bytes = link.to_host.wire_bytes();
  run.down_wire_bytes = link.to_device.wire_bytes();
  return run;
}

PcieLinkSpec f1_link() {
  return {};
}

}  // namespace isthmus::fabric
