#pragma once

#include <memory>

#include "isthmus/offload/device.hpp"
#include "isthmus/program/exchange.hpp"
#include "program/run.hpp"

/// Applications between copies to and from a device's memory, written once for every back end of the offload interface.
namespace isthmus::program {

/// One way of sending messages through a device, set up and ready to run. Running may be repeated.
class DeviceFlow {
 public:
  virtual ~DeviceFlow() = default;
  virtual FlowTimes run(Exchange& messages, int first, int count) = 0;
};

/// A flow that is set up for a job, and what that took, the opening of the device included.
struct ReadyFlow {
  std::unique_ptr<DeviceFlow> flow;
  Time setup;
};
ReadyFlow set_up(offload::Device& device, const Job& job);

/// Runs a job whose flow is one of them. On a real device the messages wait in host memory and are compared after a
/// batch has run, so that neither takes device time; on a model they are drawn on the way, compared by a thread beside,
/// and cost no virtual time.
Run run_on_device(offload::Device& device, const Job& job);

}  // namespace isthmus::program
