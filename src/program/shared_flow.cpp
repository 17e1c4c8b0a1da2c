#include "program/shared_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "isthmus/base/error.hpp"
#include "isthmus/base/worker.hpp"
#include "isthmus/engine/graph.hpp"
#include "isthmus/platform/shared_board.hpp"
#include "program/flows.hpp"
#include "program/messages_beside.hpp"
#include "program/run_graph.hpp"
#include "program/shared_actors.hpp"
#include "program/stream_fine.hpp"
#include "program/stream_steady.hpp"
#include "program/through_kernel.hpp"

namespace isthmus::program {
namespace {

constexpr int kCores = 2;

/// The board's, and stores to registers that start the circuit.
constexpr auto kNeeds = [] {
  std::array<std::string_view, platform::kSharedNeeds.size() + 1> needs{};
  std::ranges::copy(platform::kSharedNeeds, needs.begin());
  needs.back() = "mmio";
  return needs;
}();

// Each slot is used twice before the stretch whose pace is taken, twice in each half of it, and once behind it, where
// the last messages have the caches for themselves.
constexpr Lengths kLengths{.shorter = 2 * kSharedSlots, .longer = 7 * kSharedSlots, .round = {}};

/// What the pace of a half may differ by, of all its messages together, in messages: cores and circuit meet in other
/// places each time.
constexpr double kUneven = 0.1;

platform::SharedSpec spec_of(const platform::Description& board) {
  platform::SharedSpec spec = platform::shared_spec(board);
  if (spec.coherence.line != kWordBytes)
    throw Error(fmt::format("{}: flow 'shared': expected a cache.line of {} B, a word of the kernel, got {} B",
                            board.file().string(), kWordBytes, spec.coherence.line));
  return spec;
}

SharedPlaces places_in(fabric::SharedSpace& space, const ByteApplication& application) {
  const auto bytes = [](std::size_t count) { return Bytes{static_cast<std::int64_t>(count)}; };
  SharedPlaces places{.space = space, .input = {}, .output = {}, .status = space.allocate(bytes(kWordBytes))};
  for (std::uint64_t& slot : places.input) slot = space.allocate(bytes(application.input));
  for (std::uint64_t& slot : places.output) slot = space.allocate(bytes(application.output));
  return places;
}

KernelPlace place_on(const platform::Description& board) {
  const platform::Section* onchip = board.find("onchip");
  return {.clock = Clock{board.the("kernel").frequency("clock")},
          .onchip_latency = onchip != nullptr ? static_cast<int>(onchip->count("latency")) : 0};
}

/// A board with the cores, the circuit's ends and the kernel between them.
class Machine {
 public:
  Machine(const platform::Description& board, const Job& job, Exchange& messages)
      : description_(board),
        job_(job),
        spec_(spec_of(board)),
        space_(memory_, spec_.table),
        work_{.job = job,
              .messages = messages,
              .places = places_in(space_, job.application),
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
    if (job.application.extras.control.messages.empty())
      add_reader(graph_.add<SharedReader>("line reader", circuit(), work_), nullptr, nullptr);
    else
      add_configuring_reader();
  }

  FineStream run() {
    const RunReport report =
        run_graph(graph_, {.states = job_.states, .output = graph_.id(consumer_), .schedule_seed = job_.schedule_seed});
    if (!consumer_.done())
      throw Error(fmt::format("message {} has not come back from the kernel; `last` closes a message", consumer_.next));
    StreamRun result{.run = {.times = times(report)}};
    result.parts = platform::parts_of(report, platform::on_board(plans(report), description_));
    FineStream fine{.stream = std::move(result), .received = {}};
    for (const Time at : consumer_.received) fine.received.push_back(at - producer_.begun.front());
    return fine;
  }

 private:
  ActorOptions core() const { return {.clock = board_.core_clock(), .group = kHostGroup}; }
  ActorOptions circuit() const { return {.clock = spec_.circuit, .group = kDeviceGroup}; }

  void add_configuring_reader() {
    auto& reader = graph_.add<ConfiguringSharedReader>("line reader", circuit(), work_);
    add_reader(reader, &reader.control, &reader.answers);
  }

  void add_reader(SharedReader& reader, Out<std::uint32_t>* control, In<ControlMessage>* answers) {
    board_.attach_reads(0, reader.accesses, reader.results);
    graph_.connect(
        producer_.starts, reader.starts,
        {.depth = kSharedSlots + 1, .latency = spec_.coherence.agents[platform::SharedBoard::kFpga].from_home});
    Kernel kernel(graph_, place_on(description_),
                  {.words = reader.words, .results = writer_.words, .control = control, .status = answers});
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
    FlowTimes times{.elapsed = consumer_.received.back() - start, .stages = {}, .first = {}, .latencies = {}};
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

StreamRun all_finely(const platform::Description& board, const Job& job) {
  Checker checker(job.application, job.progress);
  MessagesBeside messages(job.application, checker);
  StreamRun result = Machine(board, job, messages).run().stream;
  messages.compare_rest();
  result.run.difference = checker.difference();
  return result;
}

/// The first messages of a job; nobody asks for their bytes.
FineStream first_of(const platform::Description& board, Job job, int count) {
  job.count = count;
  Checker checker(job.application, {});
  MessagesBeside messages(job.application, checker);
  FineStream result = Machine(board, job, messages).run();
  messages.compare_rest();
  return result;
}

/// None where the run does not become steady.
std::optional<StreamRun> coarsely(const platform::Description& board, const Job& job, const Lengths& lengths) {
  Checker checker(job.application, job.progress);
  MessagesBeside messages(job.application, checker);
  FineStream shorter;
  Worker beside;
  beside.add([&] { shorter = first_of(board, job, lengths.shorter); });
  Job first = job;
  first.count = lengths.longer;
  const FineStream longer = Machine(board, first, messages).run();
  beside.finish();
  Lengths uneven{.shorter = lengths.shorter, .longer = lengths.longer - kSharedSlots, .round = {}};
  uneven.round = Time::seconds(kUneven * longer.received.back().seconds() / lengths.longer);
  if (!is_steady(longer.received, uneven)) return {};
  send_through_kernel(job, lengths.longer, messages);
  messages.compare_rest();
  StreamRun result = extend(shorter.stream, longer.stream, lengths, job.count);
  result.run.difference = checker.difference();
  return result;
}

}  // namespace

StreamRun run_shared(const platform::Description& board, const Job& job) {
  check_words(job.application);
  const bool fine = job.grain == Grain::fine || job.states != nullptr || !job.application.extras.steady;
  if (fine || job.count <= kLengths.shorter + kLengths.longer) return all_finely(board, job);
  const auto result = coarsely(board, job, kLengths);
  return result ? *result : all_finely(board, job);
}

Flow shared_flow() {
  return {.name = "shared", .needs = kNeeds, .through_actors = run_shared};
}

}  // namespace isthmus::program
