#include "program/stream_packets.hpp"

#include <vector>

#include "isthmus/base/error.hpp"
#include "isthmus/platform/link.hpp"
#include "isthmus/platform/specs.hpp"
#include "program/board_devices.hpp"
#include "program/configurer.hpp"
#include "program/far_end.hpp"
#include "program/host.hpp"
#include "program/run_graph.hpp"
#include "program/shared_network.hpp"
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

FarHost host_of(const ByteApplication& application) {
  return {.configurers = configurers_of(application), .listeners = reaches_link(application) ? std::size_t{1} : 0};
}

/// What the kernel reaches beside the network; no link where it needs none.
platform::BoardSpec parts_beside(const platform::Description& board, const ByteApplication& application) {
  platform::BoardSpec parts = platform::board_spec(board);
  if (!reaches_link(application)) {
    parts.links.clear();
    parts.host.reset();
  }
  return parts;
}

std::vector<platform::PartPlan> parts_of_host_memory(BoardDevices& devices) {
  std::vector<platform::PartPlan> plans = devices.host_parts();
  platform::append(plans, platform::parts_of_reads({{.link = devices.pcie()}}));
  platform::append(plans, platform::parts_of_writes({{.link = devices.pcie()}}));
  return plans;
}

/// The host's thread that keeps the link until the kernel has sent its last packet.
struct Keeping {
  HostOutput link;
  In<Over> over{"over"};

  Keeping(PinnedMemory& memory, Time call) : link(memory, call) {}
  void step() { over.read(); }
};

/// The link, on which no messages are.
void add_link(Graph& graph, BoardDevices& devices, const HostLinkSpec& spec, const ByteApplication& application,
              FarEnd& far, KernelEnds& ends) {
  HostLink& link = devices.add_host_link();
  link.leave_out_input();
  graph.unused(link.from_kernel());
  auto& keeping = graph.add<Keeping>("host thread", {.group = kHostGroup}, devices.pcie().memory, spec.library_call);
  link.connect(keeping.link);
  graph.connect(far.over(), keeping.over,
                {.depth = 1, .latency_time = Time::ns(1), .return_latency_time = Time::ns(1)});
  if (!has_control(application)) return link.leave_out_control();
  add_control(ends, link);
  add_configurer(graph, link, application.extras.control, spec.mmio_store, far.configured());
}

}  // namespace

StreamRun run_packets_on_board(const platform::Description& board, const Job& job) {
  PacketChecker checker = checker_of(job);
  PacketsBeside beside(checker);
  const ByteApplication& application = job.application;
  const KernelPlace place = place_on(board);
  Graph graph(job.seed);
  FarEnd far(graph, job, platform::kinds::network_spec(board.the("network")), beside, host_of(application));
  BoardNetwork network(graph, far, place.clock);
  StallingNetwork stalling(graph, place.clock, job.faults.stall, network);
  SharedNetwork shared(graph, place, stalling);
  KernelEnds ends{.network = &shared, .note = job.note};
  BoardDevices devices(graph, board, parts_beside(board, application));
  if (reaches_link(application)) add_link(graph, devices, platform::host_link_spec(board), application, far, ends);
  devices.offer(application.extras, place.clock, ends);
  Kernel kernel(graph, place, ends);
  application.kernel(kernel);
  shared.tie();
  devices.connect();
  const RunReport report =
      run_graph(graph, {.states = job.states, .output = far.sink(), .schedule_seed = job.schedule_seed});
  devices.finish();
  beside.finish();
  const std::int64_t corrupted = far.corrupted();
  if (corrupted == packet_count(job))
    throw Error("--faults corrupt: no packet has come back, expected fewer to be corrupted");
  std::vector<platform::PartPlan> plans{far.part_in(), network.part_in()};
  for (const auto& actors : {kernel.actors(), shared.actors()})
    for (const ActorId actor : actors)
      plans.push_back({.name = report.actor(actor).name, .keys = {"kernel.clock"}, .actors = {actor}});
  platform::append(plans, devices.memory_parts());
  if (application.extras.host) platform::append(plans, parts_of_host_memory(devices));
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
