#pragma once

#include "isthmus/engine/graph.hpp"

namespace isthmus::program {

/// Runs a graph whose host threads ask for Ctrl-C. Throws Interrupted where that, and not an error of the graph, ended
/// it.
RunReport run_graph(Graph& graph, const RunOptions& options);

}  // namespace isthmus::program
