#pragma once

#include <cstdint>

#include "isthmus/engine/occupancy.hpp"
#include "isthmus/engine/report.hpp"

namespace isthmus::engine {

/// Closes accounts at the end of a run.
class OccupancyAccount {
 public:
  /// Counts what has come back by `end` without having been looked at, and what is under way until then.
  static OccupancyReport close(Occupancy& occupancy, std::int64_t end);
  /// The channel through which entries come back, if they come through one.
  static Channel* returns(const Occupancy& occupancy) {
    return occupancy.returns_.port != nullptr ? occupancy.returns_.port->channel : nullptr;
  }
};

}  // namespace isthmus::engine
