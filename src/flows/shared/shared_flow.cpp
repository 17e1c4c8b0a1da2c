#include "flows/shared/shared_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "flows/shared/in_place.hpp"
#include "flows/shared/shared_actors.hpp"
#include "flows/stream/configurer.hpp"
#include "flows/stream/paced.hpp"
#include "flows/stream/run_graph.hpp"
#include "flows/stream/stream_fine.hpp"
#include "flows/stream/through_kernel.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/engine/graph.hpp"
#include "isthmus/platform/shared_board.hpp"
#include "isthmus/platform/soc_board.hpp"

namespace isthmus::program {
namespace {

constexpr int kCores = 2;

// Each slot is used twice before the stretch whose pace is taken, twice in each half of it, and once behind it, where
// the last messages have the caches for themselves.
constexpr Lengths kLengths{.shorter = 2 * kSharedSlots, .longer = 7 * kSharedSlots};

/// What the pace of a half may differ by, of all its messages together, in messages: cores and circuit meet in other
/// places each time.
constexpr double kUneven = 0.1;

SharedPlaces places_in(fabric::SharedSpace& space, const ByteApplication& application, int line) {
  SharedPlaces places{.space = space, .status = space.allocate({line}), .line = static_cast<std::uint64_t>(line)};
  for (std::uint64_t& slot : places.input) slot = space.allocate(in_whole_lines(application.input, line));
  for (std::uint64_t& slot : places.output) slot = space.allocate(in_whole_lines(application.output, line));
  return places;
}

/// A board with the cores, the circuit's ends and the kernel between them.
class Machine {
 public:
  Machine(const platform::Description& board, const Job& job, Exchange& messages)
      : description_(board),
        job_(job),
        spec_(platform::shared_spec(board)),
        space_(memory_, spec_.space),
        work_{.job = job,
              .messages = messages,
              .places = places_in(space_, job.application, spec_.coherence.line),
              .channel = job.channel.empty() ? platform::kCoherentWay : platform::way_named(spec_, job.channel),
              .store = board.the("mmio").time("store")},
        board_(graph_, spec_, memory_, space_, kCores),
        producer_(graph_.add<SharedProducer>("producer core", core(), work_)),
        consumer_(graph_.add<SharedConsumer>("consumer core", core(), work_)),
        writer_(graph_.add<SharedWriter>("line writer", circuit(), work_)) {
    board_.attach_core(producer_.accesses, producer_.results);
    board_.attach_core(consumer_.accesses, consumer_.results);
    graph_.connect(consumer_.taken, producer_.taken, {.depth = kSharedSlots + 1});
    board_.attach_writes(0, writer_.accesses, writer_.results);
    for (int port = 1; port < spec_.ports; ++port) {
      board_.leave_out_reads(port);
      board_.leave_out_writes(port);
    }
    if (has_control(job.application))
      add_configuring_reader();
    else
      add_reader(graph_.add<LineReader>("line reader", circuit(), messages_of(work_)), nullptr, nullptr);
  }

  FineStream run() {
    const RunReport report =
        run_graph(graph_, {.states = job_.states, .output = graph_.id(consumer_), .schedule_seed = job_.schedule_seed});
    if (!consumer_.done())
      throw Error(fmt::format("message {} has not come back from the kernel; `last` closes a message", consumer_.next));
    BoardRun result{.run = {.times = times(report)}};
    result.parts = platform::parts_of(report, platform::on_board(plans(report), description_));
    FineStream fine{.stream = std::move(result)};
    for (const Time at : consumer_.received) fine.received.push_back(at - producer_.begun.front());
    return fine;
  }

 private:
  ActorOptions core() const { return {.clock = board_.core_clock(), .group = kHostGroup}; }
  ActorOptions circuit() const { return {.clock = spec_.circuit, .group = kDeviceGroup}; }

  void add_configuring_reader() {
    auto& reader = graph_.add<ConfiguringReader>("line reader", circuit(), work_);
    add_reader(reader, &reader.control, &reader.answers);
  }

  void add_reader(LineReader& reader, Out<std::uint32_t>* control, In<ControlMessage>* answers) {
    board_.attach_reads(0, reader.accesses, reader.results);
    graph_.connect(
        producer_.starts, reader.starts,
        {.depth = kSharedSlots + 1, .latency = spec_.coherence.agents[platform::SharedBoard::kFpga].from_home});
    Kernel kernel(graph_, place_on(description_),
                  {.words = &reader.words, .results = &writer_.words, .control = control, .status = answers});
    job_.application.kernel(kernel);
    kernel_ = kernel.actors();
  }

  Time busiest(const RunReport& report) const {
    Time busiest;
    for (const ActorId actor : kernel_) busiest = std::max(busiest, report.actor(actor).busy);
    return busiest;
  }

  FlowTimes times(const RunReport& report) const {
    const Time start = producer_.begun.front();
    FlowTimes times{.elapsed = consumer_.received.back() - start};
    for (std::size_t i = 0; i < consumer_.received.size(); ++i) {
      const Time begun = producer_.begun[i];
      const Time end = consumer_.received[i];
      times.latencies.push_back(end - begun);
      if (i >= kMessagesTold) continue;
      const Time started = producer_.started[i] - start;
      times.first.push_back({{.name = "written by the core", .begin = begun - start, .end = started},
                             {.name = "start to read", .begin = started, .end = end - start}});
    }
    times.stages = {{"producer core", report.actor(graph_.id(producer_)).busy},
                    {"kernel", busiest(report)},
                    {"consumer core", report.actor(graph_.id(consumer_)).busy}};
    times.lasted = report.end;
    return times;
  }

  std::vector<platform::PartPlan> plans(const RunReport& report) const {
    std::vector<platform::PartPlan> plans = board_.parts();
    for (const ActorId actor : kernel_)
      plans.push_back({.name = report.actor(actor).name, .keys = {"kernel.clock"}, .actors = {actor}});
    const std::vector<std::string> keys{"host.llc.hit_latency", "host.memory.latency", "host.mmio.store",
                                        "cache.clock"};
    plans.insert(plans.begin(), {.name = "producer core", .keys = keys, .actors = {graph_.id(producer_)}});
    return plans;
  }

  const platform::Description& description_;
  const Job& job_;
  platform::SharedSpec spec_;
  PinnedMemory memory_;
  fabric::SharedSpace space_;
  SharedWork work_;
  Graph graph_;
  platform::SharedBoard board_;
  SharedProducer& producer_;
  SharedConsumer& consumer_;
  SharedWriter& writer_;
  std::vector<ActorId> kernel_;
};

FineStream run_first(const platform::Description& board, Job job, int count, MessagesBeside& messages) {
  job.count = count;
  return Machine(board, job, messages).run();
}

FineStream run_unseen(const platform::Description& board, const Job& job, int count) {
  Checker checker(job.application, {});
  MessagesBeside messages(job.application, checker);
  FineStream result = run_first(board, job, count, messages);
  messages.compare_rest();
  return result;
}

bool becomes_steady(const FineStream& longer) {
  Lengths uneven{.shorter = kLengths.shorter, .longer = kLengths.longer - kSharedSlots};
  uneven.round = Time::seconds(kUneven * longer.received.back().seconds() / kLengths.longer);
  return is_steady(longer.received, uneven);
}

/// Cores and circuit as the application has them.
BoardRun run_together(const platform::Description& board, const Job& job) {
  Checker checker(job.application, job.progress);
  MessagesBeside messages(job.application, checker);
  const Grain grain = job.states == nullptr ? job.grain : Grain::fine;
  Together told = job.application.extras.together(
      board, {.count = job.count, .grain = grain, .messages = messages, .choice = job.choice});
  messages.compare_rest();
  BoardRun result{
      .run = {.times = {.elapsed = told.elapsed, .latencies = std::move(told.latencies), .lasted = told.lasted}},
      .parts = std::move(told.parts),
      .grain = told.grain};
  for (auto& [name, time] : told.stages) result.run.times.stages.push_back({std::move(name), time});
  result.run.difference = checker.difference();
  return result;
}

}  // namespace

BoardRun run_shared(const platform::Description& board, const Job& job) {
  if (job.application.extras.together) return run_together(board, job);
  check_words(job.application);
  if (job.application.extras.datapath) return run_in_place(board, job);
  const auto run = [&](int count, MessagesBeside& messages) { return run_first(board, job, count, messages); };
  const auto unseen = [&](int count) { return run_unseen(board, job, count); };
  const auto rest = [&](int first, MessagesBeside& messages) { send_through_kernel(job, first, messages); };
  return run_paced(job, kLengths, {.run = run, .run_unseen = unseen, .steady = becomes_steady, .rest = rest});
}

Flow shared_flow() {
  return {.name = "shared",
          .words = {.needs = platform::kSharedMachineNeeds, .on_board = run_shared},
          .over_any = true,
          .in_place = true,
          .device_memory = false,
          .port_needs = platform::kSocRunNeeds};
}

}  // namespace isthmus::program
