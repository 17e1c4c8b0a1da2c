#include "program/native_packets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"
#include "program/packet_checker.hpp"
#include "program/run_threads.hpp"

namespace isthmus::program {
namespace {

/// What the packets of a batch may take of the memory: more than caches hold, and touched once before.
constexpr std::size_t kBatchBytes = std::size_t{64} << 20U;
/// Of so many packets the time is taken of one: two looks at the clock take as long as a short packet.
constexpr int kTimed = 16;
/// Beats before the kernel and behind it.
constexpr int kBeats = 1024;

std::size_t whole_beats(std::size_t bytes) {
  return (bytes + kBeatBytes - 1) / kBeatBytes * kBeatBytes;
}

/// Packets that lie one behind the other, each at the beginning of a beat.
class Arena {
 public:
  /// Its memory is there before it is used.
  Arena() : bytes_(kBatchBytes) {}

  /// Room behind all others; what it was before may have moved.
  std::byte* add(std::size_t bytes) {
    if (used_ + bytes > bytes_.size()) bytes_.resize(2 * bytes_.size());
    return bytes_.data() + std::exchange(used_, used_ + bytes);
  }
  /// The bytes that were added since the last packet's are one, of which the last beat uses so many.
  void end_packet(std::size_t in_last) {
    lengths_.push_back(static_cast<std::uint32_t>(used_ - begun_ - kBeatBytes + in_last));
    begun_ = used_;
  }
  void clear() {
    used_ = begun_ = 0;
    lengths_.clear();
  }
  const std::byte* bytes() const { return bytes_.data(); }
  const std::vector<std::uint32_t>& lengths() const { return lengths_; }

 private:
  std::vector<std::byte> bytes_;
  std::size_t used_ = 0;
  std::size_t begun_ = 0;
  std::vector<std::uint32_t> lengths_;
};

/// Packets first .. end - 1.
struct Stretch {
  int first;
  int end;
};

std::vector<Stretch> stretches_of(const Packets& packets, int count) {
  std::vector<Stretch> stretches;
  std::size_t bytes = kBatchBytes;
  for (int i = 0; i < count; ++i) {
    const std::size_t more = whole_beats(packets.length(i));
    if (bytes + more > kBatchBytes) {
      stretches.push_back({.first = i, .end = i});
      bytes = 0;
    }
    bytes += more;
    stretches.back().end = i + 1;
  }
  return stretches;
}

struct Compared {};

/// Draws a batch, then hands its packets to the kernel.
class PacketFeeder {
 public:
  Out<NetPacket> out{"out"};
  In<Compared> compared{"compared"};

  PacketFeeder(const Packets& packets, std::span<const Stretch> stretches) : packets_(packets), stretches_(stretches) {}

  void step() {
    if (sent_ == arena_.lengths().size()) begin();
    if (sent_ % kTimed == 0) sent_at_.push_back(timer_.now());
    const std::size_t bytes = arena_.lengths()[sent_];
    send(arena_.bytes() + at_, bytes);
    at_ += whole_beats(bytes);
    ++sent_;
  }
  bool done() const { return sent_ == arena_.lengths().size() && next_ == stretches_.size(); }

  /// When each batch began, and when packets were sent of which the time was taken.
  const std::vector<Time>& began() const { return began_; }
  const std::vector<Time>& sent_at() const { return sent_at_; }

 private:
  void begin() {
    if (next_ > 0) compared.read();
    draw(stretches_[next_++]);
    sent_ = at_ = 0;
    began_.push_back(timer_.now());
  }
  void draw(const Stretch& stretch) {
    arena_.clear();
    for (int i = stretch.first; i < stretch.end; ++i) {
      const std::size_t length = packets_.length(i);
      packets_.fill(i, {arena_.add(whole_beats(length)), length});
      arena_.end_packet(length - (whole_beats(length) - kBeatBytes));
    }
  }
  void send(const std::byte* bytes, std::size_t left) {
    bool first = true;
    for (; left > kBeatBytes; left -= kBeatBytes, bytes += kBeatBytes) {
      NetPacket& beat = out.slot();
      beat.sop = first;
      beat.eop = false;
      beat.len = 0;
      std::memcpy(beat.data.data(), bytes, kBeatBytes);
      first = false;
    }
    NetPacket& last = out.slot();
    last.sop = first;
    last.eop = true;
    last.len = len_of(left);
    std::memcpy(last.data.data(), bytes, kBeatBytes);
  }

  const Packets& packets_;
  std::span<const Stretch> stretches_;
  std::size_t next_ = 0;  ///< stretch
  Arena arena_;
  std::size_t sent_ = 0;
  std::size_t at_ = 0;
  std::vector<Time> began_;
  std::vector<Time> sent_at_;
  Timer timer_;
};

/// Keeps the packets of a batch, and compares them when the last has come.
class PacketKeeper {
 public:
  In<NetPacket> in{"in"};
  Out<Compared> compared{"compared"};

  PacketKeeper(PacketChecker& checker, std::span<const Stretch> stretches) : checker_(checker), stretches_(stretches) {}

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
    if (arena_.lengths().size() == packets_of(stretches_[stretch_])) end();
  }
  bool done() const { return stretch_ == stretches_.size(); }

  const std::vector<Time>& ended() const { return ended_; }
  const std::vector<Time>& came_at() const { return came_at_; }

 private:
  static std::size_t packets_of(const Stretch& stretch) {
    return static_cast<std::size_t>(stretch.end - stretch.first);
  }

  void end() {
    ended_.push_back(timer_.now());
    std::size_t at = 0;
    for (const std::uint32_t length : arena_.lengths()) {
      checker_.take({arena_.bytes() + at, length});
      at += whole_beats(length);
    }
    arena_.clear();
    came_ = 0;
    ++stretch_;
    compared.push({});
  }

  PacketChecker& checker_;
  std::span<const Stretch> stretches_;
  std::size_t stretch_ = 0;
  Arena arena_;
  std::size_t came_ = 0;
  std::vector<Time> ended_;
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

FlowTimes times_of(const PacketFeeder& feeder, const PacketKeeper& keeper) {
  FlowTimes times;
  for (std::size_t i = 0; i < keeper.ended().size(); ++i) times.elapsed += keeper.ended()[i] - feeder.began()[i];
  for (std::size_t i = 0; i < keeper.came_at().size(); ++i)
    times.latencies.push_back(keeper.came_at()[i] - feeder.sent_at()[i]);
  times.stages = {{"packets through the kernel", times.elapsed}};
  return times;
}

}  // namespace

NativeRun run_packets_in_memory(const Job& job) {
  const Packets& packets = *job.application.extras.packets;
  PacketChecker checker(packets, job.count * job.application.extras.in_message, job.progress);
  const std::vector<Stretch> stretches = stretches_of(packets, job.count * job.application.extras.in_message);
  Graph graph;
  auto& feeder = graph.add<PacketFeeder>("packets", {.group = kHostGroup}, packets, stretches);
  auto& keeper = graph.add<PacketKeeper>("kept", {.group = kHostGroup}, checker, stretches);
  graph.connect(keeper.compared, feeder.compared, on_threads(1));
  MemoryNetwork network(graph, feeder, keeper);
  Kernel kernel(graph, {.clock = Clock{Frequency::mhz(1)}, .fifo = kBeats}, {.network = &network});
  job.application.kernel(kernel);
  native::Report report = run_threads(graph, job);
  if (!keeper.done())
    throw Error(fmt::format("packet {} has not come back from the kernel: {}; `eop` ends a packet",
                            checker.tally().received, why_missing(report)));
  NativeRun result{.run = {}, .workers = std::move(report.workers)};
  result.run.times = times_of(feeder, keeper);
  result.run.difference = checker.difference();
  result.run.packets = checker.tally();
  return result;
}

}  // namespace isthmus::program
