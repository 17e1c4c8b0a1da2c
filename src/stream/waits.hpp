#pragma once

#include <vector>

#include "isthmus/engine/occupancy.hpp"

namespace isthmus {

/// Adds up the time in which at least one of several queues had something that waited, as one learns who looks into
/// them in rounds.
class Waits {
 public:
  void add(Time begin, Time end) { waits_.push_back({begin, end}); }
  /// Moves what lies before `time` into `occupancy`: no wait that is still to be told began before it.
  void settle(Time time, Occupancy& occupancy);

 private:
  struct Wait {
    Time begin;
    Time end;
  };
  std::vector<Wait> waits_;
};

}  // namespace isthmus
