#include "offload/model/coarse/sample.hpp"

#include <fmt/format.h>

#include <algorithm>

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

/// The fine machine of a board, and what has it do an activity; none: it is at rest.
class SampleRun {
 public:
  SampleRun(const Loaded& loaded, const Activity* activity, std::uint64_t seed)
      : activity_(activity),
        memory_(fabric::DeviceMemory::dropping_writes(loaded.memory)),
        loaded_{.spec = loaded.spec, .kernels = loaded.kernels, .memory = memory_},
        graph_(seed),
        board_(graph_, loaded.spec.board, memory_, copies() ? 1 : 0),
        side_(build_board(graph_, loaded_, board_, commands() ? 1 : 0, machine_)) {
    if (copies()) add_core();
    if (commands()) add_feeder();
  }

  Machine& machine() { return machine_; }

  Sample run(Time limit, std::uint64_t schedule_seed) {
    RunReport report = graph_.run({.limit = limit, .throw_on_error = false, .schedule_seed = schedule_seed});
    if (report.outcome != Outcome::finished && report.outcome != Outcome::limit) throw Error(report.message);
    return {.progress = progress(),
            .spent = {.actors = std::move(report.actors), .occupancies = std::move(report.occupancies)}};
  }

 private:
  bool copies() const { return activity_ != nullptr && !activity_->work; }
  bool commands() const { return activity_ != nullptr && activity_->work.has_value(); }

  void add_core() {
    core_ = &graph_.add<CopyOnce>("activity", {}, needed(loaded_.spec.host).copy, *activity_);
    side_->attach_core(core_->core);
  }

  void add_feeder() {
    fill_command();
    feeder_ = &graph_.add<Feeder>("activity", {}, command_, activity_->from);
    graph_.connect(feeder_->submitted, side_->submitted(0), kAtOnce);
    graph_.connect(side_->completed(0), feeder_->completed, kAtOnce);
  }

  Progress progress() const {
    if (core_ != nullptr) return {.end = core_->end(), .passed = core_->core.passed()};
    return feeder_ != nullptr ? Progress{.end = feeder_->end(), .passed = passed()} : Progress{};
  }

  void fill_command() {
    command_.unit = activity_->unit;
    command_.worker = 0;
    command_.copied = false;
    command_.device = activity_->device;
    command_.bytes = activity_->bytes;
    command_.call = activity_->call;
    command_.work = needed(activity_->work);
    if (command_.work != DeviceWork::kernel) side_->staging().prepare(command_);
  }

  fabric::AxiPassed passed() const {
    const fabric::Units units = loaded_.units();
    if (!units.is_kernel(activity_->unit)) {
      const auto ports = board_.passed(machine_.masters.engines.at(units.engine_of(activity_->unit)));
      return activity_->work == DeviceWork::to_device ? ports.written : ports.read;
    }
    fabric::AxiPassed read;
    fabric::AxiPassed written;
    for (const std::size_t master : machine_.masters.kernels.at(units.kernel_of(activity_->unit))) {
      const auto ports = board_.passed(master);
      read.add(ports.read.bytes, std::max(read.last, ports.read.last));
      written.add(ports.written.bytes, std::max(written.last, ports.written.last));
    }
    return read.bytes < written.bytes ? written : read;
  }

  const Activity* activity_;
  fabric::DeviceMemory memory_;
  Loaded loaded_;
  Graph graph_;
  platform::Board board_;
  Machine machine_;
  std::unique_ptr<BoardSide> side_;
  Command command_;
  Feeder* feeder_ = nullptr;
  CopyOnce* core_ = nullptr;
};

}  // namespace

Sample take_sample(const Loaded& loaded, const Activity& activity, Time limit, const RunOrder& order) {
  return SampleRun(loaded, &activity, order.seed).run(limit, order.schedule_seed);
}

BoardAtRest board_at_rest(const Loaded& loaded) {
  SampleRun at_rest(loaded, nullptr, 1);
  Spent spent = at_rest.run(Time::fs(1), 0).spent;
  return {.machine = std::move(at_rest.machine()), .spent = std::move(spent)};
}

}  // namespace isthmus::offload::model
