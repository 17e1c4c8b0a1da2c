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

/// The part that is busy for the greatest share of `elapsed`, and the next that another resource holds: what would be
/// the limit if the first part's resource were faster.
Bottleneck bottleneck(const std::vector<Part>& parts, Time elapsed);

}  // namespace isthmus::platform
