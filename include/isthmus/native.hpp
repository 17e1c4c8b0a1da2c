#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "isthmus/engine/graph.hpp"

/// The native back end: the actors of a graph run on host threads, in real time.
namespace isthmus::native {

struct Options {
  /// Threads. 0: as many as there are cores, or actors where those are fewer; the actors begin on one of them, and move
  /// where the run is seen to go faster for it. A number: the actors are cut into regions along the channels.
  int workers = 0;
  std::map<std::string, int> placement{};  ///< worker of an actor by its name, where it stays
  bool pin = true;                         ///< each worker to a core, where there are enough
  bool throw_on_error = true;
  std::size_t stack_bytes = 256 * 1024;  ///< of a step that waits inside
  /// Seconds after which a run ends as quiescent in which no token has moved though no step was at work for long; 0:
  /// never. Actors that look at the time or count their steps could go on like that for ever.
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
  std::string message;  ///< what went wrong, in one line, where something did
  std::vector<std::string> warnings;
  std::vector<WorkerReport> workers;
  std::vector<ChannelReport> channels;  ///< in natural order of their names
};

/// "worker 0 (core 0): source, stage; worker 1 (core 1): sink"
std::string to_string(const std::vector<WorkerReport>& workers);

/// A placement as it is typed: "ACTOR=WORKER", several of them apart by commas; of two for one actor the last counts.
/// Throws Error where it is none.
std::map<std::string, int> parse_placement(const std::vector<std::string>& texts);

/// Cores that this process may use.
int cores();
/// The name that the processor gives itself.
std::string processor();

/// Runs a graph until all actors but the periodic ones have finished. Checks it first, as the model does; clocks and
/// latencies have no meaning here, depths do. A graph runs once. Throws Error where the graph is refused, a placement
/// names no actor or no worker, or, with `throw_on_error`, where the run ended in an error: an actor that threw, a push
/// that no reader will ever make room for, actors that wait for each other.
Report run(Graph& graph, const Options& options = {});

}  // namespace isthmus::native
