#pragma once

#include <cstdint>

#include "isthmus/engine/occupancy.hpp"
#include "isthmus/engine/report.hpp"

namespace isthmus::engine {

/// What the engine does to an Occupancy, and an actor does not.
class OccupancyAccess {
 public:
  /// Counts the entries that have come back by `end` and that their actor has not looked at. An entry that is under way
  /// when the output ends counts its round trip until then. The rate is counted up to the same time, and by Little's
  /// law a window lets through no more than its size over its round trip only if both are of one time.
  static OccupancyReport close(Occupancy& occupancy, std::int64_t end, std::int64_t output_end);
  /// The channel through which entries come back, if they come through one.
  static Channel* returns(const Occupancy& occupancy) {
    return occupancy.returns_.port != nullptr ? occupancy.returns_.port->channel : nullptr;
  }
};

}  // namespace isthmus::engine
