// Packets that come over a line of this machine: the kernel's actors between two sockets' ends, and a tester, in a
// thread of its own, at the other end.
#include <fmt/format.h>

#include <array>
#include <cstring>

#include "isthmus/base/error.hpp"
#include "isthmus/base/worker.hpp"
#include "program/compute_units.hpp"
#include "program/configurer.hpp"
#include "program/line_tester.hpp"
#include "program/native_packets.hpp"

namespace isthmus::program {
namespace {

/// Beats before the kernel and behind it: some packets of the largest.
constexpr int kBeats = 2048;

/// Until the next look at a socket of which no port tells; others of the thread go on meanwhile.
constexpr Time kLook = Time::us(2);

/// Takes packets from the line until the tester has gone.
class LineReceiver {
 public:
  Out<NetPacket> out{"out"};
  Configurers configurers;

  LineReceiver(int end, const ByteApplication& application, const LineTester& tester)
      : configurers(configurers_of(application)),
        end_(end),
        tester_(tester),
        batch_(whole_beats(packets_of(application).most)) {}

  void step() {
    configurers.wait();
    if (next_ == count_ && !receive_more()) return;
    send_beats(batch_.packet(next_++), out);
  }
  bool done() const { return ended_; }

 private:
  bool receive_more() {
    const bool last = tester_.over();
    count_ = receive(end_, batch_);
    next_ = 0;
    if (count_ > 0) return true;
    ended_ = last;
    timer_.wait_until(timer_.now() + kLook);
    return false;
  }

  int end_;
  const LineTester& tester_;
  PacketBatch batch_;
  std::size_t count_ = 0;
  std::size_t next_ = 0;
  bool ended_ = false;
  Timer timer_;
};

/// Sends packets to the line, as many at once as are there.
class LineTransmitter {
 public:
  In<NetPacket> in{"in"};

  LineTransmitter(int end, std::size_t largest, const LineTester& tester)
      : end_(end), tester_(tester), batch_(whole_beats(largest) + kBeatBytes) {}

  void step() {
    if (!pull_burst(in, [this](std::span<const NetPacket> beats) { return take(beats); })) {
      ended_ = in.closed();
      send_all();
      timer_.wait(in);
      return;
    }
    if (whole_ == PacketBatch::kMost) send_all();
  }
  bool done() const { return ended_ && whole_ == 0; }

 private:
  /// Returns how many: all, unless the batch is full.
  std::size_t take(std::span<const NetPacket> beats) {
    std::size_t taken = 0;
    while (taken < beats.size() && whole_ < PacketBatch::kMost) take(beats[taken++]);
    return taken;
  }
  void take(const NetPacket& beat) {
    if (used_ + kBeatBytes > batch_.room())
      throw Error(fmt::format("a packet from the kernel: expected at most {} B; `eop` ends a packet", batch_.room()));
    std::memcpy(batch_.at(whole_) + used_, beat.data.data(), kBeatBytes);
    used_ += bytes_of(beat);
    if (!beat.eop) return;
    batch_.length(whole_++) = used_;
    used_ = 0;
  }
  /// A packet that is not whole yet stays for later.
  void send_all() {
    std::array<PacketBytes, PacketBatch::kMost> packets;
    for (std::size_t i = 0; i < whole_; ++i) packets[i] = batch_.packet(i);
    for (std::size_t sent = 0; sent < whole_ && !tester_.over();) {
      const std::size_t went = send(end_, std::span(packets).first(whole_).subspan(sent));
      if (went == 0) timer_.wait_until(timer_.now() + kLook);
      sent += went;
    }
    if (whole_ > 0 && used_ > 0) std::memmove(batch_.at(0), batch_.at(whole_), used_);
    whole_ = 0;
  }

  int end_;
  const LineTester& tester_;
  PacketBatch batch_;
  std::size_t whole_ = 0;  ///< whole packets that wait
  std::size_t used_ = 0;   ///< bytes of the packet that is being gathered
  bool ended_ = false;
  Timer timer_;
};

/// Interfaces where the system lets us have some, else local sockets, of which the user is told.
PacketLine open_line(const Job& job, const Packets& packets) {
  try {
    return PacketLine::open(packets.transport, packets.most);
  } catch (const Error& error) {
    if (packets.transport != "veth") throw;
    if (job.note)
      job.note(fmt::format("transport: local sockets in the place of veth, which was refused: {}", error.what()));
    return PacketLine::open("unix", packets.most);
  }
}

/// Sees that the tester ends, however the run does.
struct Stopping {
  LineTester& tester;
  ~Stopping() { tester.stop(); }
};

}  // namespace

NativeRun run_packets_over_line(const Job& job) {
  const Packets& packets = packets_of(job.application);
  const int units = units_of(job, packet_count(job));
  const PacketLine line = open_line(job, packets);
  PacketChecker checker = checker_of(job);
  LineTester tester(line, packets, checker, packet_count(job));
  Graph graph;
  const ActorOptions options{.clock = clock_on_threads(), .group = kLinkGroup};
  auto& receiver = graph.add<LineReceiver>("line receiver", options, line.inside(), job.application, tester);
  auto& transmitter = graph.add<LineTransmitter>("line transmitter", options, line.inside(), packets.most, tester);
  ThreadNetwork network(graph, receiver.out, transmitter.in, kBeats);
  native::Link control(graph, {});
  add_configurer(graph, control, job.application, Time(), receiver.configurers);
  NativeMemories memories(job.application.extras);
  add_packet_kernel(graph, job, {.clock = clock_on_threads(), .fifo = kBeats},
                    {.network = network, .control = control, .memories = memories});
  Worker beside;
  const Stopping stopping{tester};
  beside.add([&tester] { tester.run(); });
  native::Report report = run_threads(graph, job);
  if (report.outcome != Outcome::finished) throw Error(report.message);
  beside.finish();
  memories.finish();
  NativeRun result{.units = units, .workers = std::move(report.workers)};
  result.run.times.elapsed = tester.spent().elapsed();
  result.run.times.stages = {{"packets over the line and back", tester.spent().elapsed()}};
  result.run.times.latencies = tester.latencies();
  result.run.difference = checker.difference();
  result.run.packets = checker.tally();
  result.run.packets->cores = tester.spent().cores();
  result.run.packets->dropped = line.dropped();
  result.run.packets->transport = line.transport();
  return result;
}

}  // namespace isthmus::program
