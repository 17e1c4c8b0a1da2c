#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "isthmus/engine/graph.hpp"

/// The native back end: the actors of a graph run on host threads, in real time.
namespace isthmus::native {

struct Options {
  /// The number of threads; 0: as many as there are cores, or actors if those are fewer. With 0 all actors begin on one
  /// thread, and move if that makes the run faster. With another number the actors are cut into regions along the
  /// channels.
  int workers = 0;
  /// The worker of an actor by its name, or of all actors of a scope by the scope's; they stay there.
  std::map<std::string, int> placement{};
  bool pin = true;  ///< pins each worker to a core, if there are enough
  bool throw_on_error = true;
  std::size_t stack_bytes = 256 * 1024;  ///< stack of a step that waits inside
  /// A run ends as quiescent if no token has moved for this number of seconds though no step was at work for long; 0:
  /// never. Actors that look at the time or count their steps could otherwise go on for ever.
  double silence = 0;
};

/// The actors that a worker runs, and its core.
struct WorkerReport {
  int core = -1;  ///< the operating system's number of the processing unit; -1: not pinned
  std::vector<std::string> actors;
};

struct Report {
  Outcome outcome = Outcome::finished;
  Time elapsed;         ///< wall time from the first step to the last
  std::string message;  ///< the error in one line, if there was one
  std::vector<std::string> warnings;
  std::vector<WorkerReport> workers;
  std::vector<ChannelReport> channels;  ///< in natural order of their names
};

/// "worker 0 (core 0): source, stage; worker 1 (core 1): sink"
std::string to_string(const std::vector<WorkerReport>& workers);

/// Parses a placement as it is typed: "ACTOR=WORKER", several of them separated by commas. For an actor that is named
/// twice, the last one counts. Throws Error if the text is no placement.
std::map<std::string, int> parse_placement(const std::vector<std::string>& texts);

/// The number of cores that this process may use.
int cores();
/// The name that the processor gives itself.
std::string processor();

/// Runs a graph until all actors but the periodic ones have finished. It checks the graph first, as the model does.
/// Clocks and latencies have no meaning here, but depths do. A graph runs once. Throws Error if the graph is refused,
/// if a placement names no actor or no worker, or, with `throw_on_error`, if the run ended in an error: an actor that
/// threw, a push for which no reader will ever make room, or actors that wait for each other.
Report run(Graph& graph, const Options& options = {});

}  // namespace isthmus::native
