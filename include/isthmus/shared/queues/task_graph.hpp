#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isthmus/platform/description.hpp"
#include "isthmus/platform/part.hpp"

/// Tasks that depend on each other, on cores of the host beside a circuit that keeps their queues (gemieux2018, IV).
namespace isthmus::queues {

struct Task {
  std::string name;
  Time work;                         ///< time that a core works on the task, once its data are there
  std::uint32_t lines = 1;           ///< lines of data that only this task reads
  std::vector<std::uint32_t> after;  ///< indices of the tasks whose values it takes
};

struct TaskGraph {
  std::vector<Task> tasks;
};

/// The places of the tasks, each behind all that it comes after; of those that might come next the first. Throws Error
/// naming a task of a cycle, and one that comes after a place that the graph has not.
std::vector<std::uint32_t> in_order(const TaskGraph& graph);

/// The scheduler: it says which core executes which task when.
enum class Scheduling : std::uint8_t {
  alone,     ///< the cores: each has its tasks from the start, in order, and polls until the tasks before are done
  queues,    ///< the circuit: a queue of ready tasks for each core
  prefetch,  ///< the circuit, which also reads a task's data into the caches before it sends the task
};
inline constexpr std::string_view kSchemes[] = {"alone", "queues", "prefetch"};

/// Work on a graph.
struct TaskWork {
  const TaskGraph& graph;
  Scheduling scheme = Scheduling::prefetch;
  int cores = 4;
  int depth = 4;                    ///< tasks that the circuit has sent to a core and the core has not yet taken
  std::span<const std::byte> data;  ///< lines of the tasks' data, task by task
  /// What a task gives for its data and the values of those before it, in the order of `after`.
  std::function<std::uint64_t(std::uint32_t task, std::span<const std::byte> data,
                              std::span<const std::uint64_t> before)>
      value;
  std::optional<std::uint32_t> stops_after{};  ///< number of tasks after which a failing circuit sends no more
};

struct TaskTimes {
  int core = 0;
  Time begin;  ///< time at which the core takes the task
  Time end;    ///< time at which the task's value is computed
};

struct TaskRun {
  Time elapsed;
  std::vector<TaskTimes> tasks;  ///< times of each task, from the start of the run
  std::vector<std::uint64_t> values;
  std::vector<platform::Part> parts;
};

/// The most tasks that a core's queue may hold: their numbers travel in one line.
inline constexpr int kMostDepth = 12;

/// Runs it on a modelled board whose circuits share the host's memory, from caches that hold nothing. Throws Error
/// where the data do not fit into the page table, and where a core gets no task any more.
TaskRun run_tasks(const platform::Description& board, const TaskWork& work);

}  // namespace isthmus::queues
