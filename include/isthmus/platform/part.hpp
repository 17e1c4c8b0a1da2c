#pragma once

#include <string>
#include <vector>

#include "isthmus/engine/report.hpp"

namespace isthmus::platform {

/// A part of a modelled machine as a person names it, and how it spent a run: busy + starved + blocked = lifetime. A
/// part that works in several places at once, such as copies in both directions, is told by its busiest.
struct Part {
  std::string name;
  std::string resource;  ///< what its rate comes from, in words
  Time busy;
  Time starved;
  Time blocked;
  Time lifetime;
};

/// The part `name` as the actor `report` spent the run.
Part part_of(const std::string& name, const std::string& resource, const ActorReport& report);

/// What a part holds of a run's critical path: the chain of steps, each waiting for the end of the one before, that
/// lasts as long as the run.
struct Held {
  std::string part;
  Time time;
};

/// What holds a run back.
struct Limit : Bottleneck {
  double path_share = 0;  ///< of the critical path, what shares its resource included; 0 where `part` is simply busy
  double next_path_share = 0;  ///< likewise; 0 where `next` would be busy all the time, whatever waits for it
};

/// The part that is busy nearly all the time, else the one that holds most of the critical path (none of a chain's
/// steps is busy for long where they wait for each other; without a path the busiest counts); and the next, which
/// another resource holds: the limit if the first were taken away.
Limit bottleneck(const std::vector<Part>& parts, Time elapsed, const std::vector<Held>& path = {});

}  // namespace isthmus::platform
