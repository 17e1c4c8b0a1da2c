#include "flows/packets/native_packets.hpp"

#include <fmt/format.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "application/unclocked.hpp"
#include "flows/packets/packet_arena.hpp"
#include "flows/stream/configurer.hpp"
#include "flows/stream/host.hpp"
#include "flows/stream/shared_network.hpp"
#include "flows/stream/stalls.hpp"
#include "flows/threads/compute_units.hpp"
#include "flows/threads/native_memory.hpp"
#include "flows/threads/run_threads.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"
#include "isthmus/engine/port_array.hpp"
#include "isthmus/native/link.hpp"
#include "isthmus/stream/packet_beats.hpp"

namespace isthmus::program {
namespace {

/// Beats before the kernel and behind it: so many that who waits for others seldom does.
constexpr int kBeats = 1024;

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

/// What was stored past the caches is seen by who learns afterwards that it is there; other stores need no such order.
void end_stores_past_caches() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// The packets of a stretch lie in memory.
struct StretchBegins {};
/// Those of a copy of the kernel have come back.
struct StretchEnds {};

/// Draws the packets of a stretch, lets the copies of the kernel have them, and compares them when all have come back:
/// what it does itself takes none of the measured time.
class PacketTester {
 public:
  PortArray<Out<StretchBegins>> begins;
  PortArray<In<StretchEnds>> ends;
  Configurers configurers;

  PacketTester(const Job& job, int units)
      : begins(units, "begins"),
        ends(units, "ends"),
        configurers(configurers_of(job.application) * static_cast<std::size_t>(units)),
        packets_(packets_of(job.application)),
        stretches_(stretches_of(packets_, packet_count(job))),
        checker_(checker_of(job)),
        sent_(static_cast<std::size_t>(units)),
        kept_(static_cast<std::size_t>(units)) {}

  void step() {
    configurers.wait();
    const PacketRange& stretch = stretches_[tested_];
    draw(packets_, stretch, sent_);
    for (std::size_t i = 0; i < kept_.size(); ++i) kept_[i].make_room(sent_[i].used());
    spent_.begin();
    for (std::size_t i = 0; i < sent_.size(); ++i)
      if (has_some(i)) begins[i].push({});
    for (std::size_t i = 0; i < sent_.size(); ++i)
      if (has_some(i)) ends[i].read();
    spent_.end();
    check(kept_, stretch.first, checker_);
    ++tested_;
  }
  bool done() const { return tested_ == stretches_.size(); }

  /// Takes what has come back where no more will: the rest is lost.
  void give_up() {
    spent_.end();
    check(kept_, stretches_[tested_].first, checker_);
  }

  /// The packets of copy `unit`, and the place of those that come back.
  const PacketArena& sent(int unit) const { return sent_[static_cast<std::size_t>(unit)]; }
  PacketArena& kept(int unit) { return kept_[static_cast<std::size_t>(unit)]; }
  const PacketChecker& checker() const { return checker_; }
  const Spent& spent() const { return spent_; }

 private:
  bool has_some(std::size_t unit) const { return !sent_[unit].lengths().empty(); }

  const Packets& packets_;
  std::vector<PacketRange> stretches_;
  PacketChecker checker_;
  std::vector<PacketArena> sent_;
  std::vector<PacketArena> kept_;
  Spent spent_;
  std::size_t tested_ = 0;
};

/// Hands a copy's packets to the kernel.
class PacketFeeder {
 public:
  In<StretchBegins> begins{"begins"};
  Out<NetPacket> out{"out"};

  PacketFeeder(const PacketArena& arena, const Faults& faults) : arena_(arena), stalls_(faults.stall, kHostStall) {}

  void step() {
    if (left_ == 0) {
      begins.read();
      left_ = arena_.lengths().size();
      at_ = 0;
    }
    const std::size_t packet = arena_.lengths().size() - left_;
    if (packet % kTimed == 0) sent_at_.push_back(timer_.now());
    stalls_.maybe(timer_);
    const std::size_t bytes = arena_.lengths()[packet];
    send_beats({arena_.bytes() + at_, bytes}, out);
    at_ += whole_beats(bytes);
    --left_;
  }

  /// When packets were sent of which the time was taken.
  const std::vector<Time>& sent_at() const { return sent_at_; }
  std::int64_t stalled() const { return stalls_.count(); }

 private:
  const PacketArena& arena_;
  std::size_t left_ = 0;  ///< packets of the stretch that are to be sent
  std::size_t at_ = 0;
  std::vector<Time> sent_at_;
  Timer timer_;
  Stalls stalls_;
};

/// Keeps the packets that come back.
class PacketKeeper {
 public:
  In<NetPacket> in{"in"};
  Out<StretchEnds> ends{"ends"};

  PacketKeeper(const PacketArena& sent, PacketArena& arena, const Faults& faults)
      : sent_(sent), arena_(arena), faults_(faults), stalls_(faults.stall, kHostStall) {}

  void step() {
    stop_if_interrupted();
    die_after(faults_, received_);
    stalls_.maybe(timer_);
    for (bool ended = false; !ended;)
      read_burst(in, [&](std::span<const NetPacket> beats) { return keep(beats, ended); });
    const std::size_t came = arena_.lengths().size();
    if ((came - 1) % kTimed == 0) came_at_.push_back(timer_.now());
    ++received_;
    if (came != sent_.lengths().size()) return;
    end_stores_past_caches();
    ends.push({});
  }

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

  const PacketArena& sent_;  ///< as many are to come back
  PacketArena& arena_;
  std::vector<Time> came_at_;
  Timer timer_;
  Faults faults_;
  Stalls stalls_;
  int received_ = 0;
};

/// A network on threads: two actors, of which one has the packets that come and the other takes those that leave.
class ThreadNetwork final : public NetworkEnds {
 public:
  /// So many beats wait before the kernel, and behind it.
  ThreadNetwork(Graph& graph, Out<NetPacket>& arriving, In<NetPacket>& leaving, int beats)
      : graph_(graph), arriving_(arriving), leaving_(leaving), beats_(beats) {}
  void connect(In<NetPacket>& packets) override { graph_.connect(arriving_, packets, unclocked(beats_)); }
  void connect(Out<NetPacket>& packets, int) override { graph_.connect(packets, leaving_, unclocked(beats_)); }

 private:
  Graph& graph_;
  Out<NetPacket>& arriving_;
  In<NetPacket>& leaving_;
  int beats_;
};

/// What a kernel of packets has on threads.
struct PacketPlace {
  NetworkEnds& network;
  native::Link& control;  ///< carries the host's control messages, if there are some
  NativeMemories& memories;
};

/// Adds the kernel of a job's packets to a graph.
void add_packet_kernel(Graph& graph, const Job& job, const KernelPlace& place, const PacketPlace& with) {
  SharedNetwork network(graph, place, with.network);
  KernelEnds ends{.network = &network};
  if (has_control(job.application)) add_control(ends, with.control);
  NativeDevices devices(graph, with.memories);
  devices.offer(ends);
  Kernel kernel(graph, place, ends);
  job.application.kernel(kernel);
  network.tie();
}

/// A copy of the kernel in a graph, between a feeder and a keeper of its own.
class PacketUnit {
 public:
  PacketUnit(Graph& graph, const Job& job, const ComputeUnit& unit, PacketTester& tester, NativeMemories& memories)
      : feeder_(graph.add<PacketFeeder>("packets", {.group = kHostGroup}, tester.sent(unit.number), job.faults)),
        keeper_(graph.add<PacketKeeper>("packet keeper", {.group = kHostGroup}, tester.sent(unit.number),
                                        tester.kept(unit.number), job.faults)),
        network_(graph, feeder_.out, keeper_.in, kBeats),
        stalling_(graph, clock_on_threads(), job.faults.stall, network_),
        control_(graph, {}) {
    const auto port = static_cast<std::size_t>(unit.number);
    graph.connect(tester.begins[port], feeder_.begins, unclocked(1));
    graph.connect(keeper_.ends, tester.ends[port], unclocked(1));
    add_configurer(graph, control_, job.application, Time(), tester.configurers, port);
    add_packet_kernel(graph, job, {.clock = clock_on_threads(), .fifo = kBeats, .unit = unit},
                      {.network = stalling_, .control = control_, .memories = memories});
  }

  void add_latencies(std::vector<Time>& to) const {
    for (std::size_t i = 0; i < keeper_.came_at().size(); ++i)
      to.push_back(keeper_.came_at()[i] - feeder_.sent_at()[i]);
  }
  std::int64_t stalled() const { return feeder_.stalled() + keeper_.stalled() + stalling_.stalled(); }

 private:
  PacketFeeder& feeder_;
  PacketKeeper& keeper_;
  ThreadNetwork network_;
  StallingNetwork stalling_;
  native::Link control_;
};

/// It stands with the first copy, whose worker has nothing else to do meanwhile.
PacketTester& add_tester(Graph& graph, const Job& job, int units) {
  const Scope scope = graph.scope(scope_of({.of = units}));
  return graph.add<PacketTester>("packet tester", {.group = kHostGroup}, job, units);
}

}  // namespace

ThreadsRun run_packets_on_threads(const Job& job) {
  const int of = units_of(job, packet_count(job));
  Graph graph(job.seed);
  PacketTester& tester = add_tester(graph, job, of);
  NativeMemories memories(job.application.extras);
  std::deque<PacketUnit> units;
  for (ComputeUnit unit{.of = of}; unit.number < of; ++unit.number) {
    const Scope scope = graph.scope(scope_of(unit));
    units.emplace_back(graph, job, unit, tester, memories);
  }
  native::Report report = run_threads(graph, job, of);
  if (!tester.done()) tester.give_up();
  const PacketTally tally = tester.checker().tally();
  if (tally.received == 0)
    throw Error(
        fmt::format("packet 0 has not come back from the kernel: {}; `eop` ends a packet", why_missing(report)));
  memories.finish();
  ThreadsRun result{.units = of, .workers = std::move(report.workers)};
  FlowTimes& times = result.run.times;
  times.elapsed = tester.spent().elapsed();
  times.stages = {{"packets through the kernel", times.elapsed}};
  if (job.faults.any()) result.run.faults.emplace();
  for (const PacketUnit& unit : units) {
    if (tally.lost == 0) unit.add_latencies(times.latencies);  // else nobody knows which packet came
    if (result.run.faults) result.run.faults->stalled += unit.stalled();
  }
  result.run.difference = tester.checker().difference();
  result.run.packets = tally;
  result.run.packets->cores = tester.spent().cores();
  return result;
}

}  // namespace isthmus::program
