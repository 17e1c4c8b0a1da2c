#include "program/native_packets.hpp"

#include <fmt/format.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"
#include "isthmus/stream/packet_beats.hpp"
#include "program/packet_arena.hpp"
#include "program/stalls.hpp"

namespace isthmus::program {
namespace {

/// Beats before the kernel and behind it: so many that who waits for others seldom does.
constexpr int kBeats = 1024;

struct Compared {};

/// Stores a beat that is read again only after a whole stretch: it drives nothing out of the caches, and its line of
/// memory is not read first. `to` is a multiple of 16.
void store_past_caches(std::byte* to, const std::array<std::byte, kBeatBytes>& beat) {
#if defined(__SSE2__)
  for (std::size_t at = 0; at < kBeatBytes; at += sizeof(__m128i))
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + at),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(beat.data() + at)));
#else
  std::ranges::copy(beat, to);
#endif
}

/// Draws a batch, then hands its packets to the kernel.
class PacketFeeder {
 public:
  Out<NetPacket> out{"out"};
  In<Compared> compared{"compared"};

  PacketFeeder(const Packets& packets, std::span<const PacketRange> stretches, Spent& spent, const Faults& faults)
      : packets_(packets), stretches_(stretches), spent_(spent), stalls_(faults.stall, kHostStall) {}

  void step() {
    if (sent_ == arena_.lengths().size()) begin();
    if (sent_ % kTimed == 0) sent_at_.push_back(timer_.now());
    stalls_.maybe(timer_);
    const std::size_t bytes = arena_.lengths()[sent_];
    send_beats({arena_.bytes() + at_, bytes}, out);
    at_ += whole_beats(bytes);
    ++sent_;
  }
  bool done() const { return sent_ == arena_.lengths().size() && next_ == stretches_.size(); }

  /// When packets were sent of which the time was taken.
  const std::vector<Time>& sent_at() const { return sent_at_; }
  std::int64_t stalled() const { return stalls_.count(); }

 private:
  void begin() {
    if (next_ > 0) compared.read();
    draw(packets_, stretches_[next_++], arena_);
    sent_ = at_ = 0;
    spent_.begin();
  }

  const Packets& packets_;
  std::span<const PacketRange> stretches_;
  Spent& spent_;
  std::size_t next_ = 0;  ///< index of the next stretch
  PacketArena arena_;
  std::size_t sent_ = 0;
  std::size_t at_ = 0;
  std::vector<Time> sent_at_;
  Timer timer_;
  Stalls stalls_;
};

/// Keeps the packets of a batch, and compares them when the last has come.
class PacketKeeper {
 public:
  In<NetPacket> in{"in"};
  Out<Compared> compared{"compared"};

  PacketKeeper(PacketChecker& checker, std::span<const PacketRange> stretches, Spent& spent, const Faults& faults)
      : checker_(checker), stretches_(stretches), spent_(spent), faults_(faults), stalls_(faults.stall, kHostStall) {}

  void step() {
    stop_if_interrupted();
    die_after(faults_, received_);
    stalls_.maybe(timer_);
    for (bool ended = false; !ended;)
      read_burst(in, [&](std::span<const NetPacket> beats) { return keep(beats, ended); });
    if (came_ % kTimed == 0) came_at_.push_back(timer_.now());
    ++came_;
    ++received_;
    if (arena_.lengths().size() == stretches_[stretch_].packets()) end();
  }
  bool done() const { return stretch_ == stretches_.size(); }

  const std::vector<Time>& came_at() const { return came_at_; }
  std::int64_t stalled() const { return stalls_.count(); }

 private:
  /// Returns how many beats it kept: up to the packet's end, or all.
  std::size_t keep(std::span<const NetPacket> beats, bool& ended) {
    const auto kept = beats.first(beats_of_packet(beats));
    std::byte* to = arena_.add(kept.size() * kBeatBytes);
    for (const NetPacket& beat : kept) {
      store_past_caches(to, beat.data);
      to += kBeatBytes;
    }
    ended = kept.back().eop;
    if (ended) arena_.end_packet(bytes_of(kept.back()));
    return kept.size();
  }
  void end() {
    spent_.end();
    check(arena_, checker_);
    came_ = 0;
    ++stretch_;
    compared.push({});
  }

  PacketChecker& checker_;
  std::span<const PacketRange> stretches_;
  Spent& spent_;  ///< of which the feeder has begun a stretch that ends here: they have turns
  std::size_t stretch_ = 0;
  PacketArena arena_;
  std::size_t came_ = 0;
  std::vector<Time> came_at_;
  Timer timer_;
  Faults faults_;
  Stalls stalls_;
  int received_ = 0;
};

FlowTimes times_of(const PacketFeeder& feeder, const PacketKeeper& keeper, Time elapsed) {
  FlowTimes times;
  times.elapsed = elapsed;
  for (std::size_t i = 0; i < keeper.came_at().size(); ++i)
    times.latencies.push_back(keeper.came_at()[i] - feeder.sent_at()[i]);
  times.stages = {{"packets through the kernel", times.elapsed}};
  return times;
}

}  // namespace

NativeRun run_packets_in_memory(const Job& job) {
  const Packets& packets = packets_of(job.application);
  PacketChecker checker = checker_of(job);
  const std::vector<PacketRange> stretches = stretches_of(packets, packet_count(job));
  Spent spent;
  Graph graph(job.seed);
  auto& feeder = graph.add<PacketFeeder>("packets", {.group = kHostGroup}, packets, stretches, spent, job.faults);
  auto& keeper = graph.add<PacketKeeper>("packet keeper", {.group = kHostGroup}, checker, stretches, spent, job.faults);
  graph.connect(keeper.compared, feeder.compared, on_threads(1));
  ThreadNetwork network(graph, feeder.out, keeper.in, kBeats);
  const Clock clock{Frequency::mhz(1)};  // which means nothing on threads
  StallingNetwork stalling(graph, clock, job.faults.stall, network);
  Kernel kernel(graph, {.clock = clock, .fifo = kBeats}, {.network = &stalling});
  job.application.kernel(kernel);
  native::Report report = run_threads(graph, job);
  if (!keeper.done())
    throw Error(fmt::format("packet {} has not come back from the kernel: {}; `eop` ends a packet",
                            checker.tally().received, why_missing(report)));
  NativeRun result{.run = {}, .workers = std::move(report.workers)};
  result.run.times = times_of(feeder, keeper, spent.elapsed());
  result.run.difference = checker.difference();
  result.run.packets = checker.tally();
  result.run.packets->cores = spent.cores();
  result.run.packets->transport = packets.transport;
  if (job.faults.any()) result.run.faults = {.stalled = feeder.stalled() + keeper.stalled() + stalling.stalled()};
  return result;
}

bool over_line(const Packets& packets) {
  return packets.transport == "veth" || packets.transport == "unix";
}

NativeRun run_packets(const Job& job) {
  return over_line(packets_of(job.application)) ? run_packets_over_line(job) : run_packets_in_memory(job);
}

}  // namespace isthmus::program
