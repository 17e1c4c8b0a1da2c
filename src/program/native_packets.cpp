#include "program/native_packets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"
#include "program/packet_arena.hpp"
#include "program/run_threads.hpp"

namespace isthmus::program {
namespace {

/// Of so many packets the time is taken of one: two looks at the clock take as long as a short packet.
constexpr int kTimed = 16;
/// Beats before the kernel and behind it: so few that those of all channels stay in a core's first-level cache.
constexpr int kBeats = 1024;

struct Compared {};

/// Draws a batch, then hands its packets to the kernel.
class PacketFeeder {
 public:
  Out<NetPacket> out{"out"};
  In<Compared> compared{"compared"};

  PacketFeeder(const Packets& packets, std::span<const Stretch> stretches, Spent& spent)
      : packets_(packets), stretches_(stretches), spent_(spent) {}

  void step() {
    if (sent_ == arena_.lengths().size()) begin();
    if (sent_ % kTimed == 0) sent_at_.push_back(timer_.now());
    const std::size_t bytes = arena_.lengths()[sent_];
    send_beats({arena_.bytes() + at_, bytes}, out);
    at_ += whole_beats(bytes);
    ++sent_;
  }
  bool done() const { return sent_ == arena_.lengths().size() && next_ == stretches_.size(); }

  /// When packets were sent of which the time was taken.
  const std::vector<Time>& sent_at() const { return sent_at_; }

 private:
  void begin() {
    if (next_ > 0) compared.read();
    draw(packets_, stretches_[next_++], arena_);
    sent_ = at_ = 0;
    spent_.begin();
  }
  const Packets& packets_;
  std::span<const Stretch> stretches_;
  Spent& spent_;
  std::size_t next_ = 0;  ///< stretch
  PacketArena arena_;
  std::size_t sent_ = 0;
  std::size_t at_ = 0;
  std::vector<Time> sent_at_;
  Timer timer_;
};

/// Keeps the packets of a batch, and compares them when the last has come.
class PacketKeeper {
 public:
  In<NetPacket> in{"in"};
  Out<Compared> compared{"compared"};

  PacketKeeper(PacketChecker& checker, std::span<const Stretch> stretches, Spent& spent)
      : checker_(checker), stretches_(stretches), spent_(spent) {}

  void step() {
    stop_if_interrupted();
    for (;;) {
      const NetPacket& beat = in.read_in_place();
      std::memcpy(arena_.add(kBeatBytes), beat.data.data(), kBeatBytes);
      if (!beat.eop) continue;
      arena_.end_packet(bytes_of(beat));
      break;
    }
    if (came_ % kTimed == 0) came_at_.push_back(timer_.now());
    ++came_;
    if (arena_.lengths().size() == stretches_[stretch_].packets()) end();
  }
  bool done() const { return stretch_ == stretches_.size(); }

  const std::vector<Time>& came_at() const { return came_at_; }

 private:
  void end() {
    spent_.end();
    check(arena_, checker_);
    came_ = 0;
    ++stretch_;
    compared.push({});
  }

  PacketChecker& checker_;
  std::span<const Stretch> stretches_;
  Spent& spent_;  ///< of which the feeder has begun a stretch that ends here: they have turns
  std::size_t stretch_ = 0;
  PacketArena arena_;
  std::size_t came_ = 0;
  std::vector<Time> came_at_;
  Timer timer_;
};

class MemoryNetwork final : public NetworkEnds {
 public:
  MemoryNetwork(Graph& graph, PacketFeeder& feeder, PacketKeeper& keeper)
      : graph_(graph), feeder_(feeder), keeper_(keeper) {}
  void connect(In<NetPacket>& packets) override { graph_.connect(feeder_.out, packets, on_threads(kBeats)); }
  void connect(Out<NetPacket>& packets, int) override { graph_.connect(packets, keeper_.in, on_threads(kBeats)); }

 private:
  Graph& graph_;
  PacketFeeder& feeder_;
  PacketKeeper& keeper_;
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
  const Packets& packets = *job.application.extras.packets;
  PacketChecker checker = checker_of(job);
  const std::vector<Stretch> stretches = stretches_of(packets, job.count * job.application.extras.in_message);
  Spent spent;
  Graph graph;
  auto& feeder = graph.add<PacketFeeder>("packets", {.group = kHostGroup}, packets, stretches, spent);
  auto& keeper = graph.add<PacketKeeper>("kept", {.group = kHostGroup}, checker, stretches, spent);
  graph.connect(keeper.compared, feeder.compared, on_threads(1));
  MemoryNetwork network(graph, feeder, keeper);
  Kernel kernel(graph, {.clock = Clock{Frequency::mhz(1)}, .fifo = kBeats}, {.network = &network});
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
  return result;
}

NativeRun run_packets(const Job& job) {
  const std::string& transport = job.application.extras.packets->transport;
  return transport == "veth" || transport == "unix" ? run_packets_over_line(job) : run_packets_in_memory(job);
}

}  // namespace isthmus::program
