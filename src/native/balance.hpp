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
  std::vector<double> work;  ///< of each actor, in seconds: without what crossings cost it
  std::vector<Link> links;
};

/// The time that the busiest worker would take for all of `load`.
double makespan(const Load& load, const std::vector<int>& worker_of, int workers);

/// A placement with a small makespan, not larger than that of all free actors on one worker: cuts of `order` (each
/// actor near those that it speaks to), then moves across single channels for as long as they help. `fixed` is the
/// worker of an actor that stays where it is, -1 for the others.
std::vector<int> balance(const Load& load, const std::vector<int>& order, const std::vector<int>& fixed, int workers);

}  // namespace isthmus::native
