#include "program/stream_packets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "isthmus/base/error.hpp"
#include "isthmus/fabric/network.hpp"
#include "isthmus/platform/specs.hpp"
#include "program/packets_beside.hpp"
#include "program/run_graph.hpp"
#include "program/stream_fine.hpp"

namespace isthmus::program {
namespace {

using fabric::PacketPiece;

/// Beats between the network's blocks and the kernel: a block RAM wide and deep enough.
constexpr int kBeats = 64;

/// Sends packets, each when the line would have carried so many at the load that is offered, or as soon after as there
/// is room.
class PacketSender {
 public:
  Out<PacketPiece> out{"out"};

  PacketSender(const Packets& packets, int count, const fabric::NetworkSpec& line)
      : packets_(packets), count_(count), line_(line) {}

  void step() {
    const int packet = static_cast<int>(sent_.size());
    timer_.works_on(packet);
    timer_.wait_until(due_);
    bytes_.resize(packets_.length(packet));
    packets_.fill(packet, bytes_);
    sent_.push_back(timer_.now());
    const Time held = fabric::line_time(line_, static_cast<std::int64_t>(bytes_.size()));
    due_ += Time::seconds(held.seconds() / packets_.load);
    send();
  }
  bool done() const { return static_cast<int>(sent_.size()) == count_; }

  const std::vector<Time>& sent() const { return sent_; }

 private:
  void send() {
    for (std::size_t at = 0; at < bytes_.size();) {
      const std::size_t count = std::min(PacketPiece::kMost, bytes_.size() - at);
      PacketPiece& piece = out.slot();
      piece.sop = at == 0;
      piece.bytes = static_cast<std::uint16_t>(count);
      std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at), count, piece.data.begin());
      at += count;
      piece.eop = at == bytes_.size();
    }
  }

  const Packets& packets_;
  int count_;
  fabric::NetworkSpec line_;
  Time due_;
  std::vector<std::byte> bytes_;
  std::vector<Time> sent_;
  Timer timer_;
};

class PacketSink {
 public:
  In<PacketPiece> in{"in"};

  explicit PacketSink(PacketsBeside& packets) : packets_(packets) {}

  void step() {
    const PacketPiece& piece = in.read_in_place();
    if (piece.sop) packets_.begin_packet();
    packets_.take(std::span(piece.data).first(piece.bytes));
    if (!piece.eop) return;
    received_.push_back(timer_.now());
    packets_.end_packet();
  }

  const std::vector<Time>& received() const { return received_; }

 private:
  PacketsBeside& packets_;
  std::vector<Time> received_;
  Timer timer_;
};

/// A board's port and what is at the other end of its lines, in a graph.
class BoardNetwork final : public NetworkEnds {
 public:
  BoardNetwork(Graph& graph, const fabric::NetworkSpec& spec, const Clock& clock)
      : graph_(graph),
        spec_(spec),
        to_device_(graph.add<fabric::NetworkLine>(fabric::kToDevice, {.group = kLinkGroup}, spec)),
        from_device_(graph.add<fabric::NetworkLine>(fabric::kFromDevice, {.group = kLinkGroup}, spec)),
        receiver_(graph.add<fabric::PacketReceiver>(fabric::kPacketReceiver, {.clock = clock, .group = kDeviceGroup})),
        transmitter_(
            graph.add<fabric::PacketTransmitter>(fabric::kPacketTransmitter, {.clock = clock, .group = kDeviceGroup})) {
    graph.connect(to_device_.out, receiver_.in,
                  {.depth = fabric::pieces_under_way(spec), .latency_time = spec.latency});
    graph.connect(transmitter_.out, from_device_.in, {.depth = fabric::kPieces, .return_latency_time = Time::ns(1)});
  }
  void connect(In<NetPacket>& packets) override { graph_.connect(receiver_.out, packets, {.depth = kBeats}); }
  void connect(Out<NetPacket>& packets, int latency) override {
    graph_.connect(packets, transmitter_.in, {.depth = kBeats, .latency = latency});
  }
  void attach(PacketSender& sender, PacketSink& sink) {
    graph_.connect(sender.out, to_device_.in,
                   {.depth = fabric::kPieces, .latency_time = Time::ns(1), .return_latency_time = Time::ns(1)});
    graph_.connect(
        from_device_.out, sink.in,
        {.depth = fabric::pieces_under_way(spec_), .latency_time = spec_.latency, .return_latency_time = Time::ns(1)});
  }

  std::vector<platform::PartPlan> parts_to_device() const { return {line(to_device_), block(receiver_)}; }
  std::vector<platform::PartPlan> parts_from_device() const { return {block(transmitter_), line(from_device_)}; }

 private:
  platform::PartPlan line(const fabric::NetworkLine& of) const {
    const ActorId actor = graph_.id(of);
    return {.name = &of == &to_device_ ? fabric::kToDevice : fabric::kFromDevice,
            .keys = {"network.rate", "network.overhead", "network.least"},
            .actors = {actor}};
  }
  template <class Block>
  platform::PartPlan block(const Block& of) const {
    constexpr bool kReceives = std::is_same_v<Block, fabric::PacketReceiver>;
    return {.name = kReceives ? fabric::kPacketReceiver : fabric::kPacketTransmitter,
            .keys = {"kernel.clock"},
            .actors = {graph_.id(of)}};
  }

  Graph& graph_;
  fabric::NetworkSpec spec_;
  fabric::NetworkLine& to_device_;
  fabric::NetworkLine& from_device_;
  fabric::PacketReceiver& receiver_;
  fabric::PacketTransmitter& transmitter_;
};

std::vector<platform::Part> parts_of(const platform::Description& board, const RunReport& report,
                                     const BoardNetwork& network, const std::vector<ActorId>& kernel) {
  std::vector<platform::PartPlan> plans = network.parts_to_device();
  for (const ActorId actor : kernel)
    plans.push_back({.name = report.actor(actor).name, .keys = {"kernel.clock"}, .actors = {actor}});
  append(plans, network.parts_from_device());
  return platform::parts_of(report, platform::on_board(std::move(plans), board));
}

FlowTimes times_of(const PacketSender& sender, const PacketSink& sink, const std::vector<int>& order) {
  FlowTimes times;
  times.elapsed = sink.received().back() - sender.sent().front();
  for (std::size_t i = 0; i < order.size(); ++i)
    times.latencies.push_back(sink.received()[i] - sender.sent()[static_cast<std::size_t>(order[i])]);
  return times;
}

/// Throws Error for packets that a model's network is not made to carry.
void check(const Packets& packets) {
  if (packets.transport != "memory")
    throw Error(fmt::format("transport: expected memory on a model, whose network carries the packets, got {}",
                            packets.transport));
}

}  // namespace

StreamRun run_packets_on_board(const platform::Description& board, const Job& job) {
  const Packets& packets = *job.application.extras.packets;
  check(packets);
  const int count = job.count * job.application.extras.in_message;
  const fabric::NetworkSpec line = platform::network_spec(board.the("network"));
  const KernelPlace place = place_on(board);
  PacketChecker checker(packets, count, job.progress);
  PacketsBeside beside(checker);
  Graph graph;
  auto& sender = graph.add<PacketSender>("sender", {.group = kHostGroup}, packets, count, line);
  auto& sink = graph.add<PacketSink>("receiver", {.group = kHostGroup}, beside);
  BoardNetwork network(graph, line, place.clock);
  network.attach(sender, sink);
  Kernel kernel(graph, place, {.network = &network, .note = job.note});
  job.application.kernel(kernel);
  const RunReport report =
      run_graph(graph, {.states = job.states, .output = graph.id(sink), .schedule_seed = job.schedule_seed});
  beside.finish();
  if (sink.received().empty()) throw Error("no packet has come back from the kernel; `eop` ends a packet");
  StreamRun result{.run = {.times = times_of(sender, sink, checker.order()),
                           .difference = checker.difference(),
                           .packets = checker.tally()},
                   .parts = parts_of(board, report, network, kernel.actors())};
  for (const platform::Part& part : result.parts) result.run.times.stages.push_back({part.name, part.busy});
  result.run.times.lasted = report.end;
  return result;
}

}  // namespace isthmus::program
