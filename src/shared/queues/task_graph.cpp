#include "isthmus/shared/queues/task_graph.hpp"

#include <fmt/format.h>

#include <queue>

#include "isthmus/base/error.hpp"

namespace isthmus::queues {

std::vector<std::uint32_t> in_order(const TaskGraph& graph) {
  const std::vector<Task>& tasks = graph.tasks;
  std::vector<std::vector<std::uint32_t>> next(tasks.size());
  std::vector<std::size_t> waits_for(tasks.size());
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t task = 0; task < tasks.size(); ++task) {
    waits_for[task] = tasks[task].after.size();
    if (waits_for[task] == 0) ready.push(task);
    for (const std::uint32_t other : tasks[task].after) {
      if (other >= tasks.size())
        throw Error(fmt::format("task '{}': after: expected places of the graph's tasks, 0..{}, got {}",
                                tasks[task].name, tasks.size() - 1, other));
      next[other].push_back(task);
    }
  }
  std::vector<std::uint32_t> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const std::uint32_t after : next[order.back()])
      if (--waits_for[after] == 0) ready.push(after);
  }
  for (std::uint32_t task = 0; task < tasks.size(); ++task)
    if (waits_for[task] > 0)
      throw Error(fmt::format("task '{}': expected a graph without cycles, got one that it is in or comes after",
                              tasks[task].name));
  return order;
}

}  // namespace isthmus::queues
