#pragma once

#include <vector>

namespace isthmus::native {

/// The work of a graph in an interval: the input of a placement.
struct Load {
  /// A channel between two actors on different workers costs both.
  struct Link {
    int writer;
    int reader;
    double crossing;  ///< seconds that each of its ends would lose in this interval
  };
  std::vector<double> work;  ///< seconds of each actor, without the cost of crossings
  std::vector<Link> links;
};

/// The time that the busiest worker would take for all of `load`.
double makespan(const Load& load, const std::vector<int>& worker_of, int workers);

/// Finds a placement with a small makespan, which is not larger than that of all free actors on one worker: it cuts
/// `order` (in which each actor is near its neighbours), then moves actors across single channels for as long as that
/// helps. `fixed` is the worker of an actor that stays, -1 for the others.
std::vector<int> balance(const Load& load, const std::vector<int>& order, const std::vector<int>& fixed, int workers);

}  // namespace isthmus::native
