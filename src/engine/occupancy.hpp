#pragma once

#include <cstdint>

#include "isthmus/engine/occupancy.hpp"
#include "isthmus/engine/report.hpp"

namespace isthmus::engine {

/// Closes accounts at the end of a run.
class OccupancyAccount {
 public:
  /// Counts what has come back by `end` without having been looked at. What is under way when the output ends counts
  /// for the round trip until then: a rate counts to there too, and by Little's law no window lets more through than
  /// its size over its round trip only where both are of one time.
  static OccupancyReport close(Occupancy& occupancy, std::int64_t end, std::int64_t output_end);
  /// The channel through which entries come back, if they come through one.
  static Channel* returns(const Occupancy& occupancy) {
    return occupancy.returns_.port != nullptr ? occupancy.returns_.port->channel : nullptr;
  }
};

}  // namespace isthmus::engine
