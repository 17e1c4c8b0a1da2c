#include "platform/shared_bench.hpp"

#include <fmt/format.h>

#include <cstring>
#include <deque>

namespace isthmus::platform {
namespace {

using coherence::Operation;
using fabric::kWord;
using fabric::LineAccess;
using fabric::LineResult;
using fabric::word_at;

constexpr Time kLongest = Time::ms(5);
constexpr std::uint64_t kCircuitsValues = 1ULL << 48U;

/// Requests of one or several lines over channels that it draws.
struct Circuit {
  Out<LineAccess> reads{"reads"};
  Out<LineAccess> writes{"writes"};
  In<LineResult> read_results{"read_results"};
  In<LineResult> write_results{"write_results"};
  Timer timer;
  Random random;
  const CircuitSpec& spec;
  std::uint64_t base;
  std::uint64_t line;

  /// A line of a request, and what is seen of it.
  struct Asked {
    LineAccess access;
    std::int64_t begin = 0;
    std::int64_t end = 0;  ///< none yet
  };
  std::vector<Asked> asked{};
  int reading = 0;
  int writing = 0;
  std::deque<LineAccess> lines_left{};  ///< of the request at hand
  std::deque<std::size_t> unfenced{};   ///< writes that were sent
  std::deque<std::size_t> fences{};     ///< under way: how many of those each covers
  std::size_t covered = 0;
  std::vector<Operation> seen{};

  Circuit(const CircuitSpec& what, std::uint64_t first, int of)
      : spec(what), base(first), line(static_cast<std::uint64_t>(of)) {}

  bool all_sent() const { return static_cast<int>(asked.size()) >= spec.count && lines_left.empty(); }
  bool done() const { return all_sent() && reading == 0 && writing == 0 && unfenced.empty() && fences.empty(); }

  void step() {
    if (const LineResult* result = read_results.pull_in_place(); result != nullptr) take_read(*result);
    if (const LineResult* result = write_results.pull_in_place(); result != nullptr) take_write(*result);
    if (lines_left.empty() && fence_is_due()) return fence();
    if (lines_left.empty() && !all_sent()) draw();
    if (!lines_left.empty()) send();
  }

 private:
  void take_read(const LineResult& result) {
    --reading;
    end_of(result.tag, result.data.data());
  }

  void take_write(const LineResult& result) {
    if (result.kind == LineAccess::Kind::fence) {
      for (std::size_t left = fences.front(); left > 0; --left, unfenced.pop_front())
        end_of(unfenced.front(), asked[unfenced.front()].access.data.data());
      covered -= fences.front();
      fences.pop_front();
      return;
    }
    --writing;
    if (!spec.fenced) end_of(result.tag, asked[result.tag].access.data.data());
  }

  void end_of(std::size_t place, const std::byte* bytes) {
    Asked& one = asked[place];
    const bool write = one.access.kind == LineAccess::Kind::write;
    for (std::uint64_t at = 0; at < one.access.bytes; at += kWord)
      seen.push_back(
          {write, (one.access.addr + at) / kWord, word_at(bytes + at), one.begin, timer.now().femtoseconds()});
  }

  bool fence_is_due() {
    return spec.fenced && unfenced.size() > covered && writes.room() && (all_sent() || random.below(4) == 0);
  }

  void fence() {
    LineAccess access{};
    access.kind = LineAccess::Kind::fence;
    access.channel = fabric::kAnyChannel;
    fences.push_back(unfenced.size() - covered);
    covered = unfenced.size();
    writes.push(access);
  }

  void draw() {
    const bool write = static_cast<int>(random.below(100)) < spec.writes;
    const auto lines = 1 + random.below(static_cast<std::uint64_t>(std::min(spec.most, spec.lines)));
    if ((write ? writing : reading) + static_cast<int>(lines) > std::max<int>(spec.at_once, static_cast<int>(lines)))
      return;
    const std::uint64_t first = random.below(static_cast<std::uint64_t>(spec.lines) - lines + 1);
    const std::uint8_t channel = spec.channels[random.below(spec.channels.size())];
    for (std::uint64_t each = 0; each < lines; ++each) {
      LineAccess access{};
      access.kind = write ? LineAccess::Kind::write : LineAccess::Kind::read;
      access.bytes = static_cast<std::uint8_t>(line);
      access.channel = channel;
      access.more = static_cast<std::uint8_t>(lines - 1 - each);
      access.addr = base + (first + each) * line;
      if (!write && lines == 1 && random.below(2) == 0) {
        access.bytes = kWord;
        access.addr += kWord * random.below(line / kWord);
      }
      lines_left.push_back(access);
    }
  }

  void send() {
    LineAccess& next = lines_left.front();
    const bool write = next.kind == LineAccess::Kind::write;
    Out<LineAccess>& to = write ? writes : reads;
    if (!to.room()) return;
    next.tag = static_cast<std::uint16_t>(asked.size());
    const std::uint64_t value = kCircuitsValues + asked.size() + 1;
    for (std::uint64_t at = 0; write && at < line; at += kWord) std::memcpy(next.data.data() + at, &value, kWord);
    if (write && spec.fenced) unfenced.push_back(asked.size());
    ++(write ? writing : reading);
    asked.push_back({.access = next, .begin = timer.now().femtoseconds()});
    to.push(next);
    lines_left.pop_front();
  }
};

class Build {
 public:
  explicit Build(const SharedBench& bench)
      : bench_(bench),
        space_(memory_, {}),
        graph_(bench.seed),
        region_(memory_.allocate({static_cast<std::int64_t>(bench.lines) * bench.spec.coherence.line})),
        board_(graph_, bench.spec, memory_, space_, static_cast<int>(bench.cores.size()), &log_),
        circuit_(graph_.add<Circuit>("circuit", {.clock = bench.spec.circuit}, bench.circuit, region_.addr,
                                     bench.spec.coherence.line)) {
    board_.attach_reads(0, circuit_.reads, circuit_.read_results);
    board_.attach_writes(0, circuit_.writes, circuit_.write_results);
    for (const fabric::ClientSpec& core : bench.cores) add_core(core);
  }

  fabric::CoherenceRun run() {
    graph_.run({.limit = kLongest, .schedule_seed = bench_.schedule_seed});
    fabric::CoherenceRun result;
    if (!circuit_.done())
      result.stuck = fmt::format("circuit: {} reads, {} writes, {} fences under way; ", circuit_.reading,
                                 circuit_.writing, circuit_.fences.size());
    result.operations = circuit_.seen;
    for (const fabric::Client* core : cores_) {
      if (!core->done())
        result.stuck += fmt::format("core {}: {} of {}; ", core->spec.id, core->received, core->spec.count);
      result.operations.insert(result.operations.end(), core->seen.begin(), core->seen.end());
    }
    result.changes = log_.changes;
    read_all(result);
    return result;
  }

 private:
  void add_core(const fabric::ClientSpec& spec) {
    auto& core = graph_.add<fabric::Client>(fmt::format("core {}", spec.id), {.clock = board_.core_clock()}, 1, spec,
                                            region_.addr);
    board_.attach_core(core.requests[0], core.results[0]);
    cores_.push_back(&core);
  }

  /// Each word where it is newest.
  void read_all(fabric::CoherenceRun& result) {
    std::vector<std::byte> bytes(region_.bytes.begin(), region_.bytes.end());
    for (const std::size_t agent : {SharedBoard::kFpga, SharedBoard::kHost}) {
      const fabric::LineStore& lines = board_.cache(agent).lines();
      const auto line = static_cast<std::uint64_t>(bench_.spec.coherence.line);
      for (const auto& way : lines.all())
        if (way.state == fabric::LineState::modified)
          std::memcpy(bytes.data() + (way.line * line - region_.addr), lines.bytes_of(way), line);
    }
    for (std::size_t at = 0; at < bytes.size(); at += kWord)
      result.operations.push_back(
          {false, (region_.addr + at) / kWord, word_at(&bytes[at]), fabric::kEnd, fabric::kEnd});
  }

  const SharedBench& bench_;
  PinnedMemory memory_;
  fabric::SharedSpace space_;
  fabric::StateLog log_;
  Graph graph_;
  PinnedMemory::Region region_;
  SharedBoard board_;
  Circuit& circuit_;
  std::vector<fabric::Client*> cores_;
};

}  // namespace

fabric::CoherenceRun run(const SharedBench& bench) {
  return Build(bench).run();
}

}  // namespace isthmus::platform
