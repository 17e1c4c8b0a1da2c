#include "fabric/pcie_bench.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <string>

#include "fabric/quiet_ends.hpp"

namespace isthmus::fabric {
namespace {

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

/// The place in its region of a word that is the `index`th of requests of `words` words.
std::uint64_t place_of(std::uint64_t index, int words, const Traffic& traffic) {
  return index + index / static_cast<std::uint64_t>(words) * static_cast<std::uint64_t>(traffic.gap_words);
}

struct Reader {
  Out<PcieReadReq> requests;
  std::uint64_t base;
  const Traffic& traffic;
  int sent = 0;
  Reader(std::uint64_t at, const Traffic& what) : base(at), traffic(what) {}
  void step() {
    const auto bytes = static_cast<std::uint64_t>((traffic.read_words + traffic.gap_words) * kWordBytes);
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
    right = right && word.data.bytes == word_at(traffic.seed, place_of(words, traffic.read_words, traffic)).bytes;
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
    requests.push({static_cast<std::uint8_t>(traffic.write_words),
                   base + place_of(words, traffic.write_words, traffic) * kWordBytes});
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

double gbps(std::uint64_t words, Time time) {
  return time > Time{} ? static_cast<double>(words * kWordBytes) / time.seconds() * 1e-9 : 0;
}

/// The device behind a link and the regions of host memory that it works on.
class Side {
 public:
  Side(Graph& graph, Host& host, const LinkAndTraffic& what)
      : traffic_(what.traffic),
        link_(add_pcie_link(graph, what.link, host)),
        read_words_(static_cast<std::uint64_t>(traffic_.reads) * static_cast<std::uint64_t>(traffic_.read_words)),
        write_words_(static_cast<std::uint64_t>(traffic_.writes) * static_cast<std::uint64_t>(traffic_.write_words)),
        from_(region(read_words_, traffic_.read_words)),
        to_(region(write_words_, traffic_.write_words)),
        read_sink_(graph.add<ReadSink>("read sink", {.clock = what.link.user_clock}, traffic_)),
        write_sink_(graph.add<WriteSink>("write sink", {.clock = what.link.user_clock})) {
    for (std::uint64_t i = 0; i < read_words_; ++i) {
      const std::uint64_t place = place_of(i, traffic_.read_words, traffic_);
      std::ranges::copy(word_at(traffic_.seed, place).bytes, from_.bytes.subspan(place * kWordBytes).begin());
    }
    build(graph, what.link.user_clock);
  }

  LinkRun came_of_it(const RunReport& report, const std::string& prefix) const {
    LinkRun run;
    run.report = report;
    run.first_word = read_sink_.first;
    run.read_gbps = gbps(read_words_, read_sink_.last);
    run.write_gbps = gbps(write_words_, write_sink_.last);
    run.read_back_right = read_sink_.right && read_sink_.words == read_words_;
    run.written_right = true;
    for (std::uint64_t i = 0; i < write_words_; ++i)
      run.written_right =
          run.written_right &&
          std::ranges::equal(word_at(~traffic_.seed, i).bytes,
                             to_.bytes.subspan(place_of(i, traffic_.write_words, traffic_) * kWordBytes, kWordBytes));
    run.up_credits = link_.to_host.credits();
    run.up_kept = link_.root_port.unreturned();
    run.tags_at_rest = link_.reader.free_tags();
    for (const auto& channel : report.channels)
      if (channel.name.starts_with(prefix + kPcieReceiver) && channel.name.find("freed_tags") != std::string::npos)
        run.tags_at_rest += channel.pushed - channel.popped;
    run.up_wire_bytes = link_.to_host.wire_bytes();
    run.down_wire_bytes = link_.to_device.wire_bytes();
    run.up_errors = link_.to_host.errors();
    run.down_errors = link_.to_device.errors();
    return run;
  }

 private:
  PinnedMemory::Region region(std::uint64_t words, int of_request) {
    return link_.memory.allocate(
        Bytes{static_cast<std::int64_t>((place_of(words, of_request, traffic_) + 1) * kWordBytes)});
  }
  void build(Graph& graph, const Clock& clock) {
    auto& reader = graph.add<Reader>("reader", {.clock = clock}, from_.addr, traffic_);
    auto& writer = graph.add<Writer>("writer", {.clock = clock}, to_.addr, traffic_);
    graph.connect(reader.requests, link_.read_requests);
    graph.connect(link_.read_data, read_sink_.data, {.depth = 512});
    graph.connect(writer.requests, link_.write_requests, {.depth = 4});
    graph.connect(writer.data, link_.write_data, {.depth = 64});
    graph.connect(link_.writes_done, write_sink_.dones, {.depth = 4});
    connect_quiet_ends(graph, link_, clock);
  }

  const Traffic& traffic_;
  PcieLink link_;
  std::uint64_t read_words_;
  std::uint64_t write_words_;
  PinnedMemory::Region from_;
  PinnedMemory::Region to_;
  ReadSink& read_sink_;
  WriteSink& write_sink_;
};

}  // namespace

LinkRun run_link(const PcieLinkSpec& spec, const Traffic& traffic, const HostMemorySpec& memory, std::uint64_t seed) {
  return run_links({{spec, traffic}}, memory, seed)[0];
}

std::string lost(const PcieLinkSpec& spec, const LinkRun& run) {
  std::string all;
  if (!run.read_back_right) all += "bytes of reads, ";
  if (!run.written_right) all += "bytes of writes, ";
  if (run.tags_at_rest != static_cast<std::size_t>(spec.tags)) all += "tags, ";
  Credits credits = run.up_credits;
  credits += run.up_kept;
  if (credits != Credits{spec.posted_header_credits, spec.posted_data_credits, spec.nonposted_header_credits})
    all += "credits";
  return all;
}

std::vector<LinkRun> run_links(const std::vector<LinkAndTraffic>& links, const HostMemorySpec& memory,
                               std::uint64_t seed) {
  Graph graph(seed);
  Host host(graph, memory, static_cast<int>(links.size()));
  const auto name = [](std::size_t i) { return "link " + std::to_string(i); };
  std::deque<Side> sides;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Scope scope = graph.scope(name(i));
    sides.emplace_back(graph, host, links[i]);
  }
  const RunReport report = graph.run();
  std::vector<LinkRun> runs;
  for (std::size_t i = 0; i < links.size(); ++i) runs.push_back(sides[i].came_of_it(report, name(i) + "/"));
  return runs;
}

PcieLinkSpec f1_link() {
  return {};
}

PcieLinkSpec busy_link() {
  PcieLinkSpec spec = f1_link();
  spec.tags = 64;
  return spec;
}

PcieLinkSpec fine_link() {
  PcieLinkSpec spec = f1_link();
  spec.user_clock = {.frequency = Frequency::mhz(2000)};
  return spec;
}

}  // namespace isthmus::fabric
