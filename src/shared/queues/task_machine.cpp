#include <fmt/format.h>

#include <algorithm>

#include "isthmus/base/error.hpp"
#include "isthmus/shared/run.hpp"
#include "shared/queues/task_actors.hpp"

namespace isthmus::queues {
namespace {

// A core gives up where it waits for longer than all the work, a thousand cycles of the circuit for each task, and for
// each line ten, and two ways over the link to memory and back; all of it one after the other.
constexpr Time kLeastPatience = Time::us(1000);
constexpr std::int64_t kCyclesOfATask = 1000;
constexpr std::int64_t kWaysOfALine = 2;
constexpr std::int64_t kCyclesOfALine = 10;

/// The way from the circuit's cache over the home to the host's cache and memory, and back.
Time way_of_line(const fabric::CoherenceSpec& coherence) {
  std::int64_t cycles = coherence.memory_latency;
  Time on_wires;
  for (const fabric::CoherenceAgent& agent : coherence.agents) {
    cycles += agent.to_home + agent.from_home;
    if (agent.wire) on_wires += agent.wire->to_home + agent.wire->from_home;
  }
  return on_wires + Time::seconds(static_cast<double>(cycles) / coherence.clock.frequency.hertz());
}

Time patience_of(const TaskWork& work, const platform::SharedSpec& spec) {
  Time patience = kLeastPatience;
  std::int64_t lines = 0;
  for (const Task& task : work.graph.tasks) {
    patience += task.work;
    lines += task.lines;
  }
  const double ways = static_cast<double>(kWaysOfALine * lines) * way_of_line(spec.coherence).seconds();
  const auto tasks = static_cast<std::int64_t>(work.graph.tasks.size());
  const auto cycles = static_cast<double>(kCyclesOfATask * tasks + kCyclesOfALine * lines);
  return patience + Time::seconds(ways + cycles / spec.circuit.frequency.hertz());
}

void check(const TaskWork& work) {
  if (work.graph.tasks.empty()) throw Error("a graph of tasks: expected 1 task or more, got none");
  if (work.cores < 1) throw Error(fmt::format("cores: expected 1 or more, got {}", work.cores));
  if (work.depth < 1 || work.depth > kMostDepth)
    throw Error(fmt::format("depth of a core's queue: expected 1..{} tasks, got {}", kMostDepth, work.depth));
}

class TaskMachine {
 public:
  TaskMachine(const platform::Description& board, const TaskWork& work)
      : spec_(platform::shared_spec(board)),
        memory_(spec_),
        places_(places(work)),
        run_(board, spec_, memory_, 2 * work.cores) {
    done_.tasks.resize(work.graph.tasks.size());
    done_.values.resize(work.graph.tasks.size());
    memory_.space.copy_in(places_.data, places_.work.data);
    for (int core = 0; core < work.cores; ++core) {
      if (work.scheme == Scheduling::alone)
        add_core<OwnCore>(core);
      else
        add_core<QueueCore>(core);
    }
    if (work.scheme != Scheduling::alone) add_scheduler();
  }

  TaskRun run() {
    const RunReport report = run_.run();
    for (const TaskTimes& task : done_.tasks) done_.elapsed = std::max(done_.elapsed, task.end);
    std::vector<platform::PartPlan> plans{
        {.name = "cores", .keys = {"host.memory.latency", "host.llc.hit_latency", "cache.clock"}, .actors = cores_}};
    if (scheduler_ != nullptr) {
      plans.push_back(
          {.name = "scheduler in the circuit", .keys = {"kernel.clock"}, .actors = {run_.graph.id(*scheduler_)}});
      platform::append(plans, run_.board.parts());
    }
    done_.parts = run_.parts(report, std::move(plans));
    return std::move(done_);
  }

 private:
  std::uint64_t block(std::uint64_t lines) {
    return memory_.space.allocate(
        {static_cast<std::int64_t>(std::max<std::uint64_t>(lines, 1)) * spec_.coherence.line});
  }

  TaskPlaces places(const TaskWork& work) {
    check(work);
    TaskPlaces made{.work = work,
                    .space = memory_.space,
                    .line = spec_.coherence.line,
                    .order = in_order(work.graph),
                    .data = 0,
                    .values = block(work.graph.tasks.size()),
                    .control = block(2 * static_cast<std::uint64_t>(work.cores)),
                    .patience = patience_of(work, spec_)};
    std::uint64_t lines = 0;
    for (const Task& task : work.graph.tasks) {
      made.first.push_back(lines);
      lines += task.lines;
    }
    const std::uint64_t bytes = lines * static_cast<std::uint64_t>(made.line);
    if (work.data.size() != bytes)
      throw Error(fmt::format("data of the tasks: expected {} B, got {} B", bytes, work.data.size()));
    made.data = block(lines);
    return made;
  }

  template <class Core>
  void add_core(int number) {
    auto& core = run_.add_distant_core(
        fmt::format("core {}", number),
        [body = Core(places_, done_, number)](HostCore& on) mutable { return body.step(on); }, {.stores = 1});
    auto& stores = run_.add_distant_core<LineStores>(fmt::format("store buffer {}", number));
    run_.graph.connect(core.stores[0], stores.stores, {.depth = kStores});
    cores_.push_back(run_.graph.id(core));
  }

  void add_scheduler() {
    scheduler_ = &run_.add_circuit<TaskScheduler>("scheduler", places_);
    run_.board.attach_reads(0, scheduler_->reads, scheduler_->read_results);
    run_.board.attach_writes(0, scheduler_->writes, scheduler_->write_results);
  }

  platform::SharedSpec spec_;
  PinnedSpace memory_;
  TaskPlaces places_;
  TaskRun done_;
  SharedRun run_;
  std::vector<ActorId> cores_;
  TaskScheduler* scheduler_ = nullptr;  ///< null if the cores work alone
};

}  // namespace

TaskRun run_tasks(const platform::Description& board, const TaskWork& work) {
  return TaskMachine(board, work).run();
}

}  // namespace isthmus::queues
