#pragma once

#include <memory>

#include "flows/flow.hpp"

namespace isthmus::program {

/// A flow that is set up for a job, and what that took, the opening of the device included.
struct ReadyFlow {
  std::unique_ptr<DeviceFlow> flow;
  Time setup;
};
ReadyFlow set_up(offload::Device& device, const Flow& flow, const Job& job);

/// Runs a job in a flow between copies. On a real device the messages wait in host memory and are compared after a
/// batch has run, so that neither takes device time; on a model they are drawn on the way, compared by a thread beside,
/// and cost no virtual time.
Run run_on_device(offload::Device& device, const Flow& flow, const Job& job);

}  // namespace isthmus::program
