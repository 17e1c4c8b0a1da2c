#include "flows/shared/in_place_machine.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "flows/shared/in_place_actors.hpp"
#include "flows/stream/run_graph.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/engine/graph.hpp"
#include "isthmus/platform/shared_board.hpp"

namespace isthmus::program {
namespace {

using offload::Datapath;

std::vector<std::uint64_t> allocate(fabric::SharedSpace& space, const std::vector<std::size_t>& sizes, int line) {
  std::vector<std::uint64_t> places;
  places.reserve(sizes.size());
  for (const std::size_t size : sizes) places.push_back(space.allocate(in_whole_lines(size, line)));
  return places;
}

std::vector<std::size_t> sizes_of(const std::vector<std::size_t>& cut, std::size_t message) {
  return cut.empty() ? std::vector{message} : cut;
}

InPlaceWork work_of(const platform::Description& board, const platform::SharedSpec& spec, const Job& job,
                    Exchange* messages, fabric::SharedSpace& space, const Datapath& path, const Extent& extent) {
  const int line = spec.coherence.line;
  const DeviceKernel& kernel = device_kernel_of(job.application);
  InPlaceWork work{.job = job,
                   .messages = messages,
                   .space = space,
                   .path = path,
                   .scratch = allocate(space, kernel.scratch, line),
                   .status = space.allocate({line}),
                   .line = static_cast<std::uint64_t>(line),
                   .channel = job.channel.empty() ? platform::kCoherentWay : platform::way_named(spec, job.channel),
                   .launches = extent.launches,
                   .regions = extent.regions,
                   .call = board.the("kernel").time("launch"),
                   .store = board.the("mmio").time("store")};
  for (int message = 0; message < job.count; ++message)
    work.places.push_back({.inputs = allocate(space, sizes_of(kernel.inputs, job.application.input), line),
                           .outputs = allocate(space, sizes_of(kernel.outputs, job.application.output), line)});
  return work;
}

/// A board with the driving core, the circuit's ends and the datapath between them.
class InPlaceMachine {
 public:
  InPlaceMachine(const platform::Description& board, Job job, Exchange* messages, const Extent& extent)
      : description_(board),
        job_(cut(std::move(job), extent)),
        spec_(platform::shared_spec(board)),
        path_(job_.application.extras.datapath()),
        space_(memory_, spec_.space),
        work_(work_of(board, spec_, job_, messages, space_, *path_, extent)),
        board_(graph_, spec_, memory_, space_, 1),
        core_(graph_.add<DrivingCore>("driving core", {.clock = board_.core_clock(), .group = kHostGroup}, work_)),
        writer_(graph_.add<ResultWriter>("result writer", circuit(), work_)),
        datapath_(graph_.add<DatapathActor>("datapath", circuit(), job_.application.extras.datapath(), spec_.circuit)) {
    require_room();
    board_.attach_core(core_.accesses, core_.results);
    board_.attach_writes(0, writer_.accesses, writer_.results);
    graph_.connect(datapath_.out, writer_.words, {.depth = kFifo});
    for (int port = 0; port < spec_.ports; ++port) {
      if (port > 0) board_.leave_out_writes(port);
      if (static_cast<std::size_t>(port) < path_->ports())
        add_reader(port);
      else
        board_.leave_out_reads(port);
    }
  }

  BoardRun run() {
    const RunReport report =
        run_graph(graph_, {.states = job_.states, .output = graph_.id(core_), .schedule_seed = job_.schedule_seed});
    if (!core_.done()) throw Error(fmt::format("message {} has not come back from the datapath", core_.next));
    BoardRun result{.run = {.times = times(report)}};
    result.parts = platform::parts_of(report, platform::on_board(plans(), description_));
    return result;
  }

 private:
  static constexpr int kFifo = 64;  ///< words in front of the datapath and behind it, as in other flows

  static Job cut(Job job, const Extent& extent) {
    job.count = extent.count;
    return job;
  }

  ActorOptions circuit() const { return {.clock = spec_.circuit, .group = kDeviceGroup}; }

  void require_room() const {
    const std::string file = description_.file().string();
    if (path_->ports() > static_cast<std::size_t>(spec_.ports))
      throw Error(fmt::format("{}: application '{}': expected cache.ports of {} or more, got {}", file,
                              job_.application.name, path_->ports(), spec_.ports));
    const std::int64_t onchip = description_.the("onchip").bytes("capacity").count;
    if (path_->onchip_bytes() > static_cast<std::uint64_t>(onchip))
      throw Error(fmt::format("{}: application '{}': expected {} B of on-chip memory, got {} B", file,
                              job_.application.name, path_->onchip_bytes(), onchip));
  }

  void add_reader(int port) {
    const auto number = static_cast<std::size_t>(port);
    auto& reader = graph_.add<LineReader>(fmt::format("line reader {}", port), circuit(), regions_of(work_, number));
    board_.attach_reads(port, reader.accesses, reader.results);
    graph_.connect(core_.starts[number], reader.starts,
                   {.depth = 2, .latency = spec_.coherence.agents[platform::SharedBoard::kFpga].from_home});
    graph_.connect(reader.words, datapath_.words[number], {.depth = kFifo});
  }

  FlowTimes times(const RunReport& report) const {
    const Time start = core_.begun.front();
    FlowTimes times{.elapsed = core_.received.back() - start};
    for (const Time end : core_.launched) times.launches.push_back(end - start);
    for (std::size_t i = 0; i < core_.received.size(); ++i)
      times.latencies.push_back(core_.received[i] - core_.begun[i]);
    times.stages = {{"kernel", report.actor(graph_.id(datapath_)).busy},
                    {"driving core", report.actor(graph_.id(core_)).busy}};
    times.lasted = report.end;
    return times;
  }

  std::vector<platform::PartPlan> plans() const {
    std::vector<platform::PartPlan> plans = board_.parts();
    plans.push_back({.name = "datapath", .keys = {"kernel.clock"}, .actors = {graph_.id(datapath_)}});
    return plans;
  }

  const platform::Description& description_;
  Job job_;
  platform::SharedSpec spec_;
  std::unique_ptr<Datapath> path_;  ///< datapath that says what is read
  PinnedMemory memory_;
  fabric::SharedSpace space_;
  InPlaceWork work_;
  Graph graph_;
  platform::SharedBoard board_;
  DrivingCore& core_;
  ResultWriter& writer_;
  DatapathActor& datapath_;
};

}  // namespace

BoardRun run_in_graph(const platform::Description& board, const Job& job, const Extent& extent, Exchange* messages) {
  return InPlaceMachine(board, job, messages, extent).run();
}

}  // namespace isthmus::program
