#include "flows/shared/in_place_machine.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "flows/shared/in_place_actors.hpp"
#include "flows/stream/run_graph.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"
#include "isthmus/shared/run.hpp"

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
        memory_(spec_),
        work_(work_of(board, spec_, job_, messages, memory_.space, *path_, extent)),
        run_(board, spec_, memory_, 1),
        core_(run_.add_core("driving core", [this](HostCore& core) { return drive(core); }, {.tells = path_->ports()})),
        datapath_(run_.add_circuit<DatapathActor>("datapath", job_.application.extras.datapath(), spec_.circuit)) {
    require_room();
    auto& writer = run_.add_circuit<LineWriter>("result writer", results_of(work_));
    run_.board.attach_writes(0, writer.accesses, writer.results);
    run_.graph.connect(datapath_.out, writer.words, {.depth = kFifo});
    for (std::size_t port = 0; port < path_->ports(); ++port) add_reader(port);
  }

  BoardRun run() {
    const RunReport report =
        run_graph(run_.complete(), {.states = job_.states, .output = id(core_), .schedule_seed = job_.schedule_seed});
    if (!core_.done()) throw Error(fmt::format("message {} has not come back from the datapath", next()));
    BoardRun result{.run = {.times = times(report)}};
    std::vector<platform::PartPlan> plans = run_.board.parts();
    plans.push_back({.name = "datapath", .keys = {"kernel.clock"}, .actors = {id(datapath_)}});
    result.parts = run_.parts(report, std::move(plans));
    return result;
  }

 private:
  static constexpr int kFifo = 64;  ///< words in front of the datapath and behind it, as in other flows

  static Job cut(Job job, const Extent& extent) {
    job.count = extent.count;
    return job;
  }

  int next() const { return static_cast<int>(received_.size()); }

  /// Starts the launches of a message, one after the other, and reads its output.
  bool drive(HostCore& core) {
    const int message = next();
    load(message);
    begun_.push_back(core.now());
    if (const Time host = job_.application.extras.host_work; host > Time()) core.wait(host);
    std::uint64_t words = 0;
    for (int launch = 0; launch < work_.launches; ++launch) {
      core.wait(work_.call + work_.store);
      for (auto& start : core.tells) start.push(message);
      words = wait_for(core, launched_.size() + 1);
      launched_.push_back(core.now());
    }
    read_output(core, words);
    received_.push_back(core.now());
    if (work_.messages != nullptr) work_.messages->finished(message);
    return message + 1 < job_.count;
  }

  void load(int message) {
    if (work_.messages == nullptr) return;
    auto input = work_.messages->input(message);
    const MessagePlaces& to = work_.places[static_cast<std::size_t>(message)];
    const auto& sizes = device_kernel_of(job_.application).inputs;
    for (std::size_t buffer = 0; buffer < to.inputs.size(); ++buffer) {
      const std::size_t size = sizes.empty() ? input.size() : sizes[buffer];
      memory_.space.copy_in(to.inputs[buffer], input.first(size));
      input = input.subspan(size);
    }
  }

  std::uint64_t wait_for(HostCore& core, std::uint64_t launches) const {
    std::uint64_t words = 0;
    for (std::uint64_t region = 0; region < work_.regions; ++region)
      words += path_->region(0, region).bytes / kWordBytes;
    const Time latest = core.now() + patience(words);
    for (;;) {
      stop_if_interrupted();
      const auto told = value_of<LineStatus>(core.read(work_.status, work_.line));
      if (told.complete >= launches) return told.words;
      if (core.now() > latest)
        throw Error(fmt::format("launch {} of message {} has not ended for {} of virtual time", launches - 1, next(),
                                to_string(latest)));
    }
  }

  void read_output(HostCore& core, std::uint64_t words) const {
    const LinePieces pieces{.from = work_.address((next() + 1) * work_.launches - 1, path_->result()),
                            .bytes = words * kWordBytes,
                            .line = work_.line};
    std::span<std::byte> output;
    if (work_.messages != nullptr) output = work_.messages->output(next());
    core.read(pieces, output);
  }

  template <class Actor>
  ActorId id(const Actor& actor) const {
    return run_.graph.id(actor);
  }

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

  void add_reader(std::size_t port) {
    auto& reader = run_.add_circuit<LineReader>(fmt::format("line reader {}", port), regions_of(work_, port));
    run_.board.attach_reads(static_cast<int>(port), reader.accesses, reader.results);
    run_.graph.connect(core_.tells[port], reader.starts, run_.registers(2));
    run_.graph.connect(reader.words, datapath_.words[port], {.depth = kFifo});
  }

  FlowTimes times(const RunReport& report) const {
    const Time start = begun_.front();
    FlowTimes times{.elapsed = received_.back() - start};
    for (const Time end : launched_) times.launches.push_back(end - start);
    for (std::size_t i = 0; i < received_.size(); ++i) times.latencies.push_back(received_[i] - begun_[i]);
    times.stages = {{"kernel", report.actor(id(datapath_)).busy}, {"driving core", report.actor(id(core_)).busy}};
    times.lasted = report.end;
    return times;
  }

  const platform::Description& description_;
  Job job_;
  platform::SharedSpec spec_;
  std::unique_ptr<Datapath> path_;  ///< datapath that says what is read
  PinnedSpace memory_;
  InPlaceWork work_;
  std::vector<Time> begun_{};     ///< of each message
  std::vector<Time> launched_{};  ///< time at which each launch ended
  std::vector<Time> received_{};  ///< time at which each output was read
  SharedRun run_;
  HostCore& core_;
  DatapathActor& datapath_;
};

}  // namespace

BoardRun run_in_graph(const platform::Description& board, const Job& job, const Extent& extent, Exchange* messages) {
  return InPlaceMachine(board, job, messages, extent).run();
}

}  // namespace isthmus::program
