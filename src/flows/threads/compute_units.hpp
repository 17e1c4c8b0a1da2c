#pragma once

#include <map>
#include <string>

#include "application/run.hpp"

/// Copies of a kernel that share the messages of a run on threads, each on a worker with host threads of its own: no
/// token passes from one core to another.
namespace isthmus::program {

/// The most copies that a user may ask for: more than processors have cores.
inline constexpr int kMostUnits = 1024;

/// The copies that a job runs: as many as it says, else one for each worker. There is one where messages are not
/// independent, faults are injected, or actors are placed by name; and never more than `messages`. Throws Error where
/// the job wants more than there may be.
int units_of(const Job& job, int messages);

/// The scope of a copy's actors; the actors of a single one have none.
std::string scope_of(const ComputeUnit& unit);

/// The worker of each copy, by its scope.
std::map<std::string, int> placement_of_units(const Job& job, int units);

}  // namespace isthmus::program
