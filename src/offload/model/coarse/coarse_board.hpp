#pragma once

#include "offload/model/coarse/coarse_device.hpp"

namespace isthmus::offload::model {

/// Ids of the board's actors, which are in no graph of a coarse run, begin here.
inline constexpr std::size_t kIdsOfBoard = std::size_t{1} << 20U;

struct CoarseMachine {
  Machine machine;
  const CoarseDevice* device;
};

/// The same host software as on the fine machine, in front of a coarse device.
CoarseMachine build_coarse_machine(Graph& graph, const MachinePlan& plan, Pace& pace);

}  // namespace isthmus::offload::model
