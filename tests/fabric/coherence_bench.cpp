#include "fabric/coherence_bench.hpp"

#include <fmt/format.h>

namespace isthmus::fabric {
namespace {

/// Accesses of all clients one after the other take less; a client that draws lots is never idle, so that no deadlock
/// of others ends the run by itself.
constexpr Time kLongest = Time::ms(5);

ClientSpec with_line(ClientSpec client, int line) {
  client.line = line;
  return client;
}

class Build {
 public:
  explicit Build(const CoherenceBench& bench)
      : bench_(bench),
        graph_(bench.seed),
        region_(memory_.allocate(Bytes{static_cast<std::int64_t>(bench.lines) * bench.coherence.line})),
        coherence_(graph_, bench.coherence, memory_, &log_) {
    for (std::size_t cache = 0; cache < bench.clients.size(); ++cache)
      for (std::size_t port = 0; port < bench.clients[cache].clients.size(); ++port) add_client(cache, port);
  }

  CoherenceRun run() {
    graph_.run({.limit = kLongest, .schedule_seed = bench_.schedule_seed});
    CoherenceRun result;
    for (const Client* client : clients_)
      if (!client->done())
        result.stuck += fmt::format("client {}: {} of {}; ", client->spec.id, client->received, client->spec.count);
    for (const Client* client : clients_)
      result.operations.insert(result.operations.end(), client->seen.begin(), client->seen.end());
    result.changes = log_.changes;
    read_all(result);
    return result;
  }

 private:
  void add_client(std::size_t cache, std::size_t port) {
    const ClientsOfCache& of_cache = bench_.clients[cache];
    const ClientSpec& spec = of_cache.clients[port];
    const int ports = of_cache.service_layer ? 2 : 1;
    auto& client = graph_.add<Client>(fmt::format("client {}.{}", cache, port), {.clock = of_cache.clock}, ports,
                                      with_line(spec, bench_.coherence.line), region_.addr);
    clients_.push_back(&client);
    const ChannelOptions near = coherence_.channel(1);
    if (!of_cache.service_layer) {
      graph_.connect(client.requests[0], coherence_.cache(cache).requests[port], near);
      graph_.connect(coherence_.cache(cache).results[port], client.results[0], near);
      return;
    }
    const CoherentCacheSpec& spec_of_cache = bench_.coherence.agents[cache].cache;
    ServiceLayer& layer = coherence_.add_service_layer({spec_of_cache.reads_in_flight, spec_of_cache.writes_in_flight},
                                                       {.translation = 2, .access = 1}, cache, port);
    graph_.connect(client.requests[0], layer.reads, near);
    graph_.connect(client.requests[1], layer.writes, near);
    graph_.connect(layer.read_results, client.results[0], near);
    graph_.connect(layer.write_results, client.results[1], near);
  }

  /// The place of a word at the end: in a cache that has it modified, in a write-back buffer, or else in memory.
  void read_all(CoherenceRun& result) {
    const auto line_bytes = static_cast<std::size_t>(bench_.coherence.line);
    std::vector<std::byte> bytes(region_.bytes.begin(), region_.bytes.end());
    const std::uint64_t first = region_.addr / line_bytes;
    for (std::size_t cache = 0; cache < bench_.coherence.agents.size(); ++cache) {
      const LineStore& lines = coherence_.cache(cache).lines();
      for (const LineStore::Way& way : lines.all()) {
        if (way.state == LineState::invalid) continue;
        std::byte* in_memory = bytes.data() + (way.line - first) * line_bytes;
        if (way.state != LineState::modified && std::memcmp(in_memory, lines.bytes_of(way), line_bytes) != 0)
          result.stale_memory = fmt::format("line {}", way.line);
        if (way.state == LineState::modified) std::memcpy(in_memory, lines.bytes_of(way), line_bytes);
      }
    }
    for (std::size_t at = 0; at < bytes.size(); at += kWord)
      result.operations.push_back({false, (region_.addr + at) / kWord, word_at(&bytes[at]), kEnd, kEnd});
  }

  const CoherenceBench& bench_;
  PinnedMemory memory_;
  StateLog log_;
  Graph graph_;
  PinnedMemory::Region region_;
  Coherence coherence_;
  std::vector<Client*> clients_;
};

}  // namespace

void Client::step() {
  for (auto& port : results)
    if (const LineResult* result = port.pull_in_place(); result != nullptr) take(*result);
  if (sent < spec.count && sent - received < spec.at_once && static_cast<int>(random.below(100)) >= spec.idle) send();
}

void Client::send() {
  const bool write = static_cast<int>(random.below(100)) < spec.writes;
  auto& port = requests[write ? requests.size() - 1 : 0];
  if (!port.room()) return;
  const std::uint64_t words = static_cast<std::uint64_t>(spec.line) / kWord;
  std::uint64_t first = 0;
  std::uint64_t count = words;
  if (random.below(2) == 0) {
    first = random.below(words);
    count = 1 + random.below(words - first);
  }
  LineAccess access{};
  access.kind = any_kind(write, count == words);
  access.tag = static_cast<std::uint16_t>(sent);
  access.addr = base + random.below(static_cast<std::uint64_t>(spec.lines)) * static_cast<std::uint64_t>(spec.line) +
                first * kWord;
  access.bytes = static_cast<std::uint8_t>(count * kWord);
  const std::uint64_t value = (static_cast<std::uint64_t>(spec.id) << 32U) + static_cast<std::uint64_t>(sent) + 1;
  for (std::uint64_t word = 0; write && word < count; ++word)
    std::memcpy(access.data.data() + word * kWord, &value, kWord);
  ++sent;
  accesses.push_back(access);
  begins.push_back(timer.now().femtoseconds());
  port.push(access);
}

LineAccess::Kind Client::any_kind(bool write, bool whole) {
  using Kind = LineAccess::Kind;
  if (spec.maintains && random.below(4) == 0) {
    if (write) return whole ? Kind::write_once : Kind::write;
    return random.below(4) == 0 ? Kind::fence : Kind::flush;
  }
  if (write) return Kind::write;
  return spec.uncached && random.below(3) == 0 ? Kind::read_once : Kind::read;
}

void Client::take(const LineResult& result) {
  ++received;
  const LineAccess& access = accesses.at(result.tag);
  if (access.kind == LineAccess::Kind::flush || access.kind == LineAccess::Kind::fence) return;
  const bool write = is_write(access.kind);
  const std::byte* bytes = write ? access.data.data() : result.data.data();
  for (std::uint64_t at = 0; at < access.bytes; at += kWord)
    seen.push_back(
        {write, (access.addr + at) / kWord, word_at(bytes + at), begins.at(result.tag), timer.now().femtoseconds()});
}

CoherenceRun run(const CoherenceBench& bench) {
  return Build(bench).run();
}

}  // namespace isthmus::fabric
