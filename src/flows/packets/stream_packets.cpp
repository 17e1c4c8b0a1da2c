#include "flows/packets/stream_packets.hpp"

#include <vector>

#include "application/unclocked.hpp"
#include "flows/packets/far_end.hpp"
#include "flows/stream/board_devices.hpp"
#include "flows/stream/configurer.hpp"
#include "flows/stream/host.hpp"
#include "flows/stream/run_graph.hpp"
#include "flows/stream/shared_network.hpp"
#include "flows/stream/stalls.hpp"
#include "flows/stream/stream_fine.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/platform/link.hpp"
#include "isthmus/platform/specs.hpp"

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

/// The host's thread that keeps the link until the kernel has sent its last packet.
struct Keeping {
  HostOutput link;
  In<Over> over{"over"};

  Keeping(PinnedMemory& memory, Time call) : link(memory, call) {}
  void step() { over.read(); }
};

/// A board whose kernel takes a network's packets, with what is at the other end of the lines.
class PacketBoard {
 public:
  PacketBoard(const platform::Description& board, const Job& job)
      : board_(board),
        job_(job),
        place_(place_on(board)),
        checker_(checker_of(job)),
        beside_(checker_),
        graph_(job.seed),
        far_(graph_, job, platform::kinds::network_spec(board.the("network")), beside_, host_of(job.application)),
        network_(graph_, far_, place_.clock),
        stalling_(graph_, place_.clock, job.faults.stall, network_),
        shared_(graph_, place_, stalling_),
        devices_(graph_, board, parts_beside(board, job.application)) {
    KernelEnds ends{.network = &shared_, .note = job.note};
    if (reaches_link(job.application)) add_link(ends);
    devices_.offer(job.application.extras, place_.clock, ends);
    Kernel kernel(graph_, place_, ends);
    job.application.kernel(kernel);
    shared_.tie();
    devices_.connect();
    kernel_ = kernel.actors();
  }

  BoardRun run() {
    const RunReport report =
        run_graph(graph_, {.states = job_.states, .output = far_.sink(), .schedule_seed = job_.schedule_seed});
    devices_.finish();
    beside_.finish();
    if (far_.corrupted() == packet_count(job_))
      throw Error("--faults corrupt: no packet has come back, expected fewer to be corrupted");
    BoardRun result{.run = {.times = times_of(far_.times(), checker_.order()),
                            .difference = checker_.difference(),
                            .packets = checker_.tally()},
                    .parts = platform::parts_of(report, platform::on_board(plans(report), board_))};
    result.run.packets->corrupted = static_cast<int>(far_.corrupted());
    if (job_.faults.any())
      result.run.faults = {.stalled = far_.stalled() + stalling_.stalled(), .corrupted = far_.corrupted()};
    for (const platform::Part& part : result.parts) result.run.times.stages.push_back({part.name, part.busy});
    result.run.times.lasted = report.end;
    return result;
  }

 private:
  /// The link, on which no messages are.
  void add_link(KernelEnds& ends) {
    const HostLinkSpec spec = platform::host_link_spec(board_);
    HostLink& link = devices_.add_host_link();
    link.leave_out_input();
    graph_.unused(link.from_kernel());
    auto& keeping =
        graph_.add<Keeping>("host thread", {.group = kHostGroup}, devices_.pcie().memory, spec.library_call);
    link.connect(keeping.link);
    graph_.connect(far_.over(), keeping.over, unclocked(1));
    if (!has_control(job_.application)) return link.leave_out_control();
    add_control(ends, link);
    add_configurer(graph_, link, job_.application, spec.mmio_store, far_.configurers());
  }

  std::vector<platform::PartPlan> plans(const RunReport& report) {
    std::vector<platform::PartPlan> plans{far_.part_in(), network_.part_in()};
    for (const auto& actors : {kernel_, shared_.actors()})
      for (const ActorId actor : actors)
        plans.push_back({.name = report.actor(actor).name, .keys = {"kernel.clock"}, .actors = {actor}});
    platform::append(plans, devices_.memory_parts());
    if (job_.application.extras.host) {
      platform::append(plans, devices_.host_parts());
      platform::append(plans, platform::parts_of_reads({{.link = devices_.pcie()}}));
      platform::append(plans, platform::parts_of_writes({{.link = devices_.pcie()}}));
    }
    platform::append(plans, {network_.part_out(), far_.part_out()});
    return plans;
  }

  const platform::Description& board_;
  const Job& job_;
  KernelPlace place_;
  PacketChecker checker_;
  PacketsBeside beside_;
  Graph graph_;
  FarEnd far_;
  BoardNetwork network_;
  StallingNetwork stalling_;
  SharedNetwork shared_;
  BoardDevices devices_;
  std::vector<ActorId> kernel_;
};

}  // namespace

BoardRun run_packets_on_board(const platform::Description& board, const Job& job) {
  return PacketBoard(board, job).run();
}

}  // namespace isthmus::program
