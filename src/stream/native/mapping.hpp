#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "isthmus/engine/graph.hpp"

namespace isthmus::native {

/// The processing units that this process may use, one of each core, as the operating system numbers them.
std::vector<int> usable_cores();

/// Binds the calling thread. Throws Error if the system refuses.
void pin_to(int core);

/// The worker of each actor: those of `placement` where it says; the others in as many stretches of equal length as
/// there are workers, along the channels from the sources on, so that few channels cross. Throws Error where
/// `placement` names no actor of the graph or no worker.
std::vector<int> place(const std::vector<std::unique_ptr<engine::GraphActor>>& actors, int workers,
                       const std::map<std::string, int>& placement);

}  // namespace isthmus::native
