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
#include "isthmus/base/interrupt.hpp"
#include "isthmus/platform/shared_board.hpp"
#include "isthmus/platform/soc_board.hpp"
#include "isthmus/shared/run.hpp"

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
        memory_(spec_),
        work_{.job = job,
              .messages = messages,
              .places = places_in(memory_.space, job.application, spec_.coherence.line),
              .channel = job.channel.empty() ? platform::kCoherentWay : platform::way_named(spec_, job.channel),
              .store = board.the("mmio").time("store")},
        run_(board, spec_, memory_, kCores),
        producer_(
            run_.add_core("producer core", [this](HostCore& core) { return produce(core); }, {.tells = 1, .hears = 1})),
        consumer_(run_.add_core("consumer core", [this](HostCore& core) { return consume(core); }, {.tells = 1})) {
    run_.graph.connect(consumer_.tells[0], producer_.hears[0], {.depth = kSharedSlots + 1});
    if (has_control(job.application)) {
      auto& reader = run_.add_circuit<ConfiguringReader>("line reader", work_);
      add_kernel(reader, &reader.control, &reader.answers);
    } else {
      add_kernel(run_.add_circuit<LineReader>("line reader", messages_of(work_)), nullptr, nullptr);
    }
  }

  FineStream run() {
    const RunReport report =
        run_graph(run_.complete(),
                  {.states = job_.states, .output = run_.graph.id(consumer_), .schedule_seed = job_.schedule_seed});
    if (!consumer_.done())
      throw Error(
          fmt::format("message {} has not come back from the kernel; `last` closes a message", received_.size()));
    BoardRun result{.run = {.times = times(report)}};
    result.parts = run_.parts(report, plans(report));
    FineStream fine{.stream = std::move(result)};
    for (const Time at : received_) fine.received.push_back(at - begun_.front());
    return fine;
  }

 private:
  /// A core writes a message and starts the circuit; the other core tells it the outputs that were read.
  bool produce(HostCore& core) {
    stop_if_interrupted();
    const auto number = static_cast<int>(started_.size());
    if (number >= kSharedSlots) core.hears[0].read();
    if (number == 0)
      for (std::size_t i = 0; i < job_.application.extras.control.messages.size(); ++i) core.wait(work_.store);
    begun_.push_back(core.now());
    if (const Time host = job_.application.extras.host_work; host > Time()) core.wait(host);
    core.write(work_.places.input_of(number, job_), work_.messages.input(number));
    core.wait(work_.store);
    core.tells[0].push(number);
    started_.push_back(core.now());
    return number + 1 < job_.count;
  }

  /// A core that waits for an output and reads it.
  bool consume(HostCore& core) {
    const SharedPlaces& places = work_.places;
    const auto number = static_cast<int>(received_.size());
    const auto status = value_of<LineStatus>(core.read(places.status, places.line));
    if (status.complete <= received_.size()) {
      give_up_if_late(core.now());
      return true;
    }
    core.read(places.output_of(number, job_), work_.messages.output(number));
    received_.push_back(core.now());
    work_.messages.finished(number);
    core.tells[0].push(number + 1);
    return number + 1 < job_.count;
  }

  /// Throws Error where a kernel gives no output any more: the core would spin for ever.
  void give_up_if_late(Time now) const {
    const Time before = received_.empty() ? Time() : received_.back();
    const Time most = patience((job_.application.input + job_.application.output) / kWordBytes);
    if (now - before > most)
      throw Error(
          fmt::format("message {} has not come back from the kernel for {} of virtual time; `last` closes a message",
                      received_.size(), to_string(most)));
  }

  void add_kernel(LineReader& reader, Out<std::uint32_t>* control, In<ControlMessage>* answers) {
    run_.board.attach_reads(0, reader.accesses, reader.results);
    run_.graph.connect(producer_.tells[0], reader.starts, run_.registers(kSharedSlots + 1));
    auto& writer = run_.add_circuit<LineWriter>("line writer", outputs_of(work_));
    run_.board.attach_writes(0, writer.accesses, writer.results);
    Kernel kernel(run_.graph, place_on(description_),
                  {.words = &reader.words, .results = &writer.words, .control = control, .status = answers});
    job_.application.kernel(kernel);
    kernel_ = kernel.actors();
  }

  Time busiest(const RunReport& report) const {
    Time busiest;
    for (const ActorId actor : kernel_) busiest = std::max(busiest, report.actor(actor).busy);
    return busiest;
  }

  FlowTimes times(const RunReport& report) const {
    const Time start = begun_.front();
    FlowTimes times{.elapsed = received_.back() - start};
    for (std::size_t i = 0; i < received_.size(); ++i) {
      const Time begun = begun_[i];
      const Time end = received_[i];
      times.latencies.push_back(end - begun);
      if (i >= kMessagesTold) continue;
      const Time started = started_[i] - start;
      times.first.push_back({{.name = "written by the core", .begin = begun - start, .end = started},
                             {.name = "start to read", .begin = started, .end = end - start}});
    }
    times.stages = {{"producer core", report.actor(run_.graph.id(producer_)).busy},
                    {"kernel", busiest(report)},
                    {"consumer core", report.actor(run_.graph.id(consumer_)).busy}};
    times.lasted = report.end;
    return times;
  }

  std::vector<platform::PartPlan> plans(const RunReport& report) const {
    std::vector<platform::PartPlan> plans = run_.board.parts();
    for (const ActorId actor : kernel_)
      plans.push_back({.name = report.actor(actor).name, .keys = {"kernel.clock"}, .actors = {actor}});
    const std::vector<std::string> keys{"host.llc.hit_latency", "host.memory.latency", "host.mmio.store",
                                        "cache.clock"};
    plans.insert(plans.begin(), {.name = "producer core", .keys = keys, .actors = {run_.graph.id(producer_)}});
    return plans;
  }

  const platform::Description& description_;
  const Job& job_;
  platform::SharedSpec spec_;
  PinnedSpace memory_;
  SharedWork work_;
  std::vector<Time> begun_{};     ///< of each message
  std::vector<Time> started_{};   ///< time at which the circuit was started for each message
  std::vector<Time> received_{};  ///< time at which each output was read
  SharedRun run_;
  HostCore& producer_;
  HostCore& consumer_;
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
