#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "isthmus/engine/graph.hpp"

namespace isthmus::native {

/// One processing unit of each core that this process may use, by the operating system's numbers.
std::vector<int> usable_cores();

/// Binds the calling thread to a core. Throws Error if the system refuses.
void pin_to(int core);

/// The order of actors along the channels, from the sources on: each actor soon after its writers.
std::vector<int> along_channels(const std::vector<std::unique_ptr<engine::GraphActor>>& actors);

/// The workers that `placement` gives, -1 for the other actors. Throws Error if it names no actor of the graph or no
/// worker.
std::vector<int> given(const std::vector<std::unique_ptr<engine::GraphActor>>& actors, int workers,
                       const std::map<std::string, int>& placement);

/// The worker of each actor: the one that `given` names; the other actors in as many regions of equal length as there
/// are workers, along the channels, so that few channels cross.
std::vector<int> place(const std::vector<std::unique_ptr<engine::GraphActor>>& actors, int workers,
                       const std::vector<int>& given);

}  // namespace isthmus::native
