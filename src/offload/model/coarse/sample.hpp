#pragma once

#include <optional>
#include <vector>

#include "isthmus/engine/report.hpp"
#include "offload/model/coarse/activity.hpp"
#include "offload/model/machine.hpp"

namespace isthmus::offload::model {

/// How far an activity was when a sample ended: the bytes that had passed its ports to memory, or that its core had
/// moved, and when the last of them had.
struct Progress {
  std::optional<Time> end;   ///< its own in the sample, if it came to that
  fabric::AxiPassed passed;  ///< of a kernel, in the direction in which more have: the other may wait for its end
};

/// What the actors of a machine did.
struct Spent {
  std::vector<ActorReport> actors;
  std::vector<OccupancyReport> occupancies;
};

struct Sample {
  Progress progress;
  Spent spent;
};

/// Runs an activity on the fine machine of a board until it has ended or to the limit. What it writes is dropped.
/// Throws Error where the machine does not go on.
Sample take_sample(const Loaded& loaded, const Activity& activity, Time limit, const RunOrder& order);

/// The board's part of the fine machine, whose actors have the same ids in every sample, and what they have done while
/// nothing went on.
struct BoardAtRest {
  Machine machine;
  Spent spent;
};

BoardAtRest board_at_rest(const Loaded& loaded);

}  // namespace isthmus::offload::model
