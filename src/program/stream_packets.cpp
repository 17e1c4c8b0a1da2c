#include "program/stream_packets.hpp"

#include <vector>

#include "isthmus/base/error.hpp"
#include "isthmus/platform/specs.hpp"
#include "program/far_end.hpp"
#include "program/run_graph.hpp"
#include "program/stalls.hpp"
#include "program/stream_fine.hpp"

namespace isthmus::program {
namespace {

/// Beats between the network's blocks and the kernel: a block RAM wide and deep enough.
constexpr int kBeats = 64;

/// A board's port, in a graph.
class BoardNetwork final : public NetworkEnds {
 public:
  BoardNetwork(Graph& graph, FarEnd& network, const Clock& clock)
      : graph_(graph),
        receiver_(graph.add<fabric::PacketReceiver>(fabric::kPacketReceiver, {.clock = clock, .group = kDeviceGroup})),
        transmitter_(
            graph.add<fabric::PacketTransmitter>(fabric::kPacketTransmitter, {.clock = clock, .group = kDeviceGroup})) {
    network.connect(receiver_.in);
    network.connect(transmitter_.out);
  }
  void connect(In<NetPacket>& packets) override { graph_.connect(receiver_.out, packets, {.depth = kBeats}); }
  void connect(Out<NetPacket>& packets, int latency) override {
    graph_.connect(packets, transmitter_.in, {.depth = kBeats, .latency = latency});
  }

  platform::PartPlan part_in() const { return block(fabric::kPacketReceiver, graph_.id(receiver_)); }
  platform::PartPlan part_out() const { return block(fabric::kPacketTransmitter, graph_.id(transmitter_)); }

 private:
  static platform::PartPlan block(const char* name, ActorId actor) {
    return {.name = name, .keys = {"kernel.clock"}, .actors = {actor}};
  }

  Graph& graph_;
  fabric::PacketReceiver& receiver_;
  fabric::PacketTransmitter& transmitter_;
};

}  // namespace

StreamRun run_packets_on_board(const platform::Description& board, const Job& job) {
  PacketChecker checker = checker_of(job);
  PacketsBeside beside(checker);
  const KernelPlace place = place_on(board);
  Graph graph(job.seed);
  FarEnd far(graph, job, platform::kinds::network_spec(board.the("network")), beside);
  BoardNetwork network(graph, far, place.clock);
  StallingNetwork stalling(graph, place.clock, job.faults.stall, network);
  Kernel kernel(graph, place, {.network = &stalling, .note = job.note});
  job.application.kernel(kernel);
  const RunReport report =
      run_graph(graph, {.states = job.states, .output = far.sink(), .schedule_seed = job.schedule_seed});
  beside.finish();
  const std::int64_t corrupted = far.corrupted();
  if (corrupted == packet_count(job))
    throw Error("--faults corrupt: no packet has come back, expected fewer to be corrupted");
  std::vector<platform::PartPlan> plans{far.part_in(), network.part_in()};
  for (const ActorId actor : kernel.actors())
    plans.push_back({.name = report.actor(actor).name, .keys = {"kernel.clock"}, .actors = {actor}});
  platform::append(plans, {network.part_out(), far.part_out()});
  StreamRun result{.run = {.times = times_of(far.times(), checker.order()),
                           .difference = checker.difference(),
                           .packets = checker.tally()},
                   .parts = platform::parts_of(report, platform::on_board(std::move(plans), board))};
  result.run.packets->corrupted = static_cast<int>(corrupted);
  if (job.faults.any()) result.run.faults = {.stalled = far.stalled() + stalling.stalled(), .corrupted = corrupted};
  for (const platform::Part& part : result.parts) result.run.times.stages.push_back({part.name, part.busy});
  result.run.times.lasted = report.end;
  return result;
}

}  // namespace isthmus::program
