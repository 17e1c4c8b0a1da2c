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

/// Along the channels from the sources on: each actor soon after those that write to it.
std::vector<int> along_channels(const std::vector<std::unique_ptr<engine::GraphActor>>& actors);

/// The workers that `placement` gives, -1 for the other actors. Throws Error where it names no actor of the graph or no
/// worker.
std::vector<int> given(const std::vector<std::unique_ptr<engine::GraphActor>>& actors, int workers,
                       const std::map<std::string, int>& placement);

/// The worker of each actor: those of `given` where it says; the others in as many regions of equal length as
/// there are workers, along the channels, so that few of them cross.
std::vector<int> place(const std::vector<std::unique_ptr<engine::GraphActor>>& actors, int workers,
                       const std::vector<int>& given);

}  // namespace isthmus::native
