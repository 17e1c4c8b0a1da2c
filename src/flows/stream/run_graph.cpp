#include "flows/stream/run_graph.hpp"

#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"

namespace isthmus::program {

RunReport run_graph(Graph& graph, const RunOptions& options) {
  try {
    return graph.run(options);
  } catch (const Error&) {
    stop_if_interrupted();
    throw;
  }
}

}  // namespace isthmus::program
