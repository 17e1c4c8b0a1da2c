#pragma once

#include <cstdint>
#include <string>

#include "isthmus/shared/queues/task_graph.hpp"

namespace isthmus::apps {

/// Nanoseconds of work that a graph's tasks may take together.
inline constexpr double kMostWork = 1e12;

/// How a graph is drawn.
struct GraphDraw {
  std::uint32_t tasks = 256;
  std::uint32_t lines = 8;  ///< lines of each task's data
  Time work;                ///< mean work of a task; each takes between half of it and one and a half
  std::uint64_t seed = 1;
};

/// Tasks that come after up to three of the 32 before them. Throws Error where their work is too long.
queues::TaskGraph drawn_graph(const GraphDraw& draw);

/// The graph in a JSON file:
///
///     {"tasks": [{"name": "a", "work_ns": 800, "lines": 4},
///                {"name": "b", "work_ns": 500, "lines": 8, "after": ["a"]}]}
///
/// Throws Error naming file and task where it is something else, and where the graph has a cycle or takes too long.
queues::TaskGraph graph_of(const std::string& file);

}  // namespace isthmus::apps
