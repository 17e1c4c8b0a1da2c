#include "offload/model/coarse/sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "isthmus/base/error.hpp"

namespace isthmus::offload::model {
namespace {

/// Hands one command to the board and waits for its end.
class Feeder {
 public:
  Out<CommandToken> submitted{"submitted"};
  In<CommandToken> completed{"completed"};

  Feeder(Command& command, Time from) : command_(command), from_(from) {}
  void step() {
    timer_.wait_until(from_);
    submitted.push({&command_});
    completed.read();
    end_ = timer_.now();
  }
  bool done() const { return end_.has_value(); }
  const std::optional<Time>& end() const { return end_; }

 private:
  Timer timer_;
  Command& command_;
  Time from_;
  std::optional<Time> end_;
};

/// A core that makes one copy.
class CopyOnce {
 public:
  CopyingCore core;

  CopyOnce(const std::optional<CopySpec>& spec, const Activity& copy)
      : core(spec, platform::Grain::fine), bytes_(copy.bytes), from_(copy.from) {}
  void step() {
    timer_.wait_until(from_);
    core.copy(bytes_);
    end_ = timer_.now();
  }
  bool done() const { return end_.has_value(); }
  const std::optional<Time>& end() const { return end_; }

 private:
  Timer timer_;
  std::uint64_t bytes_;
  Time from_;
  std::optional<Time> end_;
};

bool is_copy(const Activity& activity) {
  return !activity.work;
}

class Bench {
 public:
  Bench(const Loaded& loaded, std::span<const Activity> activities, std::uint64_t seed)
      : activities_(activities),
        memory_(fabric::DeviceMemory::dropping_writes(loaded.memory)),
        loaded_{.spec = loaded.spec, .kernels = loaded.kernels, .memory = memory_},
        graph_(seed),
        board_(graph_, loaded.spec.board, memory_, static_cast<int>(std::ranges::count_if(activities, is_copy))),
        side_(build_board(graph_, loaded_, board_,
                          activities.size() - static_cast<std::size_t>(std::ranges::count_if(activities, is_copy)),
                          machine_)) {
    for (std::size_t i = 0; i < activities.size(); ++i) add(i);
  }

  Machine& machine() { return machine_; }

  Sample run(Time limit, std::uint64_t schedule_seed) {
    RunReport report = graph_.run({.limit = limit, .throw_on_error = false, .schedule_seed = schedule_seed});
    if (report.outcome != Outcome::finished && report.outcome != Outcome::limit) throw Error(report.message);
    Sample sample{.activities = {},
                  .spent = {.actors = std::move(report.actors), .occupancies = std::move(report.occupancies)}};
    std::size_t feeder = 0;
    std::size_t core = 0;
    for (const Activity& activity : activities_)
      if (is_copy(activity))
        sample.activities.push_back({.end = cores_[core]->end(), .passed = cores_[core]->core.passed()}), ++core;
      else
        sample.activities.push_back({.end = feeders_[feeder++]->end(), .passed = passed(activity)});
    return sample;
  }

 private:
  void add(std::size_t index) {
    const Activity& activity = activities_[index];
    const std::string name = fmt::format("activity {}", index);
    if (is_copy(activity)) {
      CopyOnce& core = graph_.add<CopyOnce>(name, {}, needed(loaded_.spec.host).copy, activity);
      side_->attach_core(core.core);
      cores_.push_back(&core);
      return;
    }
    const std::size_t worker = feeders_.size();
    Feeder& feeder = graph_.add<Feeder>(name, {}, command(activity, worker), activity.from);
    graph_.connect(feeder.submitted, side_->submitted(worker), kAtOnce);
    graph_.connect(side_->completed(worker), feeder.completed, kAtOnce);
    feeders_.push_back(&feeder);
  }

  Command& command(const Activity& activity, std::size_t worker) {
    Command& command = commands_.emplace_back();
    command.unit = activity.unit;
    command.worker = worker;
    command.copied = false;
    command.device = activity.device;
    command.bytes = activity.bytes;
    command.call = activity.call;
    command.work = needed(activity.work);
    if (command.work != DeviceWork::kernel) side_->staging().prepare(command);
    return command;
  }

  fabric::AxiPassed passed(const Activity& activity) const {
    const fabric::Units units = loaded_.units();
    if (!units.is_kernel(activity.unit)) {
      const auto ports = board_.passed(machine_.masters.engines.at(units.engine_of(activity.unit)));
      return activity.work == DeviceWork::to_device ? ports.written : ports.read;
    }
    fabric::AxiPassed read;
    fabric::AxiPassed written;
    for (const std::size_t master : machine_.masters.kernels.at(units.kernel_of(activity.unit))) {
      const auto ports = board_.passed(master);
      read.add(ports.read.bytes, std::max(read.last, ports.read.last));
      written.add(ports.written.bytes, std::max(written.last, ports.written.last));
    }
    return read.bytes < written.bytes ? written : read;
  }

  std::span<const Activity> activities_;
  fabric::DeviceMemory memory_;
  Loaded loaded_;
  Graph graph_;
  platform::Board board_;
  Machine machine_;
  std::unique_ptr<BoardSide> side_;
  std::deque<Command> commands_;
  std::vector<Feeder*> feeders_;
  std::vector<CopyOnce*> cores_;
};

}  // namespace

Sample take_sample(const Loaded& loaded, std::span<const Activity> activities, Time limit, const RunOrder& order) {
  return Bench(loaded, activities, order.seed).run(limit, order.schedule_seed);
}

Machine board_in_samples(const Loaded& loaded) {
  return std::move(Bench(loaded, {}, 1).machine());
}

}  // namespace isthmus::offload::model
