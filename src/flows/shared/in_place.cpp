#include "flows/shared/in_place.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "application/messages_beside.hpp"
#include "flows/shared/in_place_machine.hpp"
#include "flows/shared/in_place_values.hpp"
#include "flows/stream/stream_steady.hpp"
#include "isthmus/base/worker.hpp"
#include "isthmus/platform/shared_board.hpp"

namespace isthmus::program {
namespace {

using offload::Datapath;

/// Minimum sampled bytes: 1 MiB and twice the circuit's cache, so that no line is still cached.
constexpr std::uint64_t kStretch = std::uint64_t{1} << 20U;
constexpr std::uint64_t kOfCache = 2;

std::uint64_t whole(std::uint64_t value, std::uint64_t of) {
  return (value + of - 1) / of;
}

int launches_of(const Job& job) {
  return static_cast<int>(device_kernel_of(job.application).further.size()) + 1;
}

BoardRun all_finely(const platform::Description& board, const Job& job, std::uint64_t regions) {
  Checker checker(job.application, job.progress);
  MessagesBeside messages(job.application, checker);
  BoardRun result =
      run_in_graph(board, job, {.count = job.count, .launches = launches_of(job), .regions = regions}, &messages);
  messages.compare_rest();
  result.run.difference = checker.difference();
  return result;
}

/// Regions of two launches that are one steady stretch apart; both are beyond what the circuit's cache may keep.
std::pair<std::uint64_t, std::uint64_t> stretch_of(const Datapath& path, const platform::SharedSpec& spec) {
  const Datapath::Rounds rounds = path.rounds();
  std::uint64_t bytes = 0;
  for (std::uint64_t at = 0; at < rounds.length; ++at) bytes += path.ports() * path.region(0, rounds.first + at).bytes;
  const auto cache = static_cast<std::uint64_t>(spec.coherence.agents[platform::SharedBoard::kFpga].cache.size.count);
  const std::uint64_t stretch = rounds.length * whole(std::max(kStretch, kOfCache * cache), bytes);
  return {rounds.first + stretch, rounds.first + 2 * stretch};
}

/// A run of the same job without work: the beginning of a line through one job.
BoardRun nothing_of(const BoardRun& run) {
  BoardRun none = run;
  none.run.times.elapsed = none.run.times.lasted = {};
  for (Stage& stage : none.run.times.stages) stage.time = {};
  for (platform::Part& part : none.parts) {
    part.busy = part.starved = part.blocked = part.lifetime = {};
    if (part.window) part.window->taken = 0;
  }
  return none;
}

/// What a job takes, told from launches of one and of two that read some of their regions.
class JobCost {
 public:
  JobCost(const platform::Description& board, const Job& job, std::pair<std::uint64_t, std::uint64_t> regions)
      : board_(board),
        job_(job),
        regions_{.shorter = static_cast<int>(regions.first), .longer = static_cast<int>(regions.second)} {}

  BoardRun of(std::uint64_t regions) const {
    if (launches_of(job_) == 1) return repeated(one_launch(static_cast<int>(regions)));
    const auto [one, two] = runs(static_cast<int>(regions));
    BoardRun message = extend(one, two, {.shorter = 1, .longer = 2}, launches_of(job_));
    FlowTimes& times = message.run.times;
    const std::vector<Time> ends = two.run.times.launches;
    times.launches.clear();
    for (int launch = 0; launch < launches_of(job_); ++launch)
      times.launches.push_back(ends[0] + Time::seconds((ends[1] - ends[0]).seconds() * launch));
    return repeated(std::move(message));
  }

 private:
  /// A run of a kernel that is launched once.
  BoardRun one_launch(int regions) const {
    std::array<BoardRun, 2> seen;
    Worker beside;
    beside.add([&] { seen[0] = timed(1, regions_.shorter); });
    seen[1] = timed(1, regions_.longer);
    beside.finish();
    return extended(seen[0], seen[1], regions);
  }

  /// One launch and two, of so many regions each.
  std::pair<BoardRun, BoardRun> runs(int regions) const {
    std::array<BoardRun, 4> seen;
    Worker beside;
    beside.add([&] {
      seen[0] = timed(1, regions_.shorter);
      seen[1] = timed(1, regions_.longer);
      seen[2] = timed(2, regions_.shorter);
    });
    seen[3] = timed(2, regions_.longer);
    beside.finish();
    return {extended(seen[0], seen[1], regions), extended(seen[2], seen[3], regions)};
  }

  BoardRun timed(int launches, int regions) const {
    const Extent part{.count = 1, .launches = launches, .regions = static_cast<std::uint64_t>(regions)};
    return run_in_graph(board_, job_, part, nullptr);
  }

  BoardRun extended(const BoardRun& shorter, const BoardRun& longer, int regions) const {
    BoardRun all = extend(shorter, longer, regions_, regions);
    const double beyond = static_cast<double>(regions - regions_.longer) / (regions_.longer - regions_.shorter);
    for (std::size_t i = 0; i < all.run.times.launches.size(); ++i) {
      const Time end = longer.run.times.launches[i];
      all.run.times.launches[i] = end + Time::seconds((end - shorter.run.times.launches[i]).seconds() * beyond);
    }
    return all;
  }

  /// Messages follow each other, none beside another.
  BoardRun repeated(BoardRun message) const {
    const Time each = message.run.times.elapsed;
    const std::vector<Time> ends = message.run.times.launches;
    BoardRun all = job_.count == 1 ? std::move(message)
                                   : extend(nothing_of(message), message, {.shorter = 0, .longer = 1}, job_.count);
    FlowTimes& times = all.run.times;
    times.latencies.assign(static_cast<std::size_t>(job_.count), each);
    for (int number = 1; number < job_.count; ++number)
      for (const Time end : ends) times.launches.push_back(end + Time::seconds(each.seconds() * number));
    return all;
  }

  const platform::Description& board_;
  const Job& job_;
  Lengths regions_;
};

/// The launches of each message, one after the other, and the reading of its output.
void tell_first(FlowTimes& times, int launches) {
  Time begin;
  for (std::size_t i = 0; i < std::min<std::size_t>(times.latencies.size(), kMessagesTold); ++i) {
    const Time computed = times.launches[(i + 1) * static_cast<std::size_t>(launches) - 1];
    const Time end = begin + times.latencies[i];
    times.first.push_back({{.name = "launches", .begin = begin, .end = computed},
                           {.name = "output read", .begin = computed, .end = end}});
    begin = end;
  }
}

BoardRun coarsely(const Job& job, const JobCost& told, std::uint64_t regions) {
  Checker checker(job.application, job.progress);
  MessagesBeside messages(job.application, checker);
  BoardRun result = told.of(regions);
  compute_in_place(job, messages);
  messages.compare_rest();
  result.run.difference = checker.difference();
  result.grain = Grain::coarse;
  return result;
}

}  // namespace

BoardRun run_in_place(const platform::Description& board, const Job& job) {
  const auto path = job.application.extras.datapath();
  const auto stretch = stretch_of(*path, platform::shared_spec(board));
  const bool fine = job.grain == Grain::fine || job.states != nullptr || path->regions() <= stretch.second;
  BoardRun result =
      fine ? all_finely(board, job, path->regions()) : coarsely(job, JobCost(board, job, stretch), path->regions());
  tell_first(result.run.times, launches_of(job));
  return result;
}

}  // namespace isthmus::program
