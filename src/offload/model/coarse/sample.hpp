#pragma once

#include <optional>
#include <span>
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
  std::vector<Progress> activities;  ///< in the order asked for
  Spent spent;
};

/// Runs these on the fine machine of a board until they have ended or to the limit. What they write is dropped. Throws
/// Error where the machine does not go on.
Sample take_sample(const Loaded& loaded, std::span<const Activity> activities, Time limit, const RunOrder& order);

/// The board's part of the fine machine: its actors have the same ids in every sample.
Machine board_in_samples(const Loaded& loaded);

}  // namespace isthmus::offload::model
