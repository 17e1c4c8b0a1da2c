#pragma once

#include <memory>

#include "isthmus/offload/device.hpp"
#include "program/exchange.hpp"
#include "program/run.hpp"

/// Applications in OpenCL's flows, written once for every back end of the offload interface.
namespace isthmus::program {

/// One way of sending messages through a device, set up and ready to run. Running may be repeated.
class DeviceFlow {
 public:
  virtual ~DeviceFlow() = default;
  virtual FlowTimes run(Exchange& messages, int first, int count) = 0;
};

/// `offload`: copy in, kernel, copy out, one after the other, by one host thread. The application has a DeviceKernel;
/// throws Error where the buffers of that do not hold its messages.
std::unique_ptr<DeviceFlow> make_offload_flow(offload::Device& device, const ByteApplication& application);

/// `overlap`: the same double-buffered. Device buffers for two messages; one host thread copies in and launches,
/// another copies out, so that both directions and the kernel go on at once (stacc table IV: the maximum of the three).
std::unique_ptr<DeviceFlow> make_overlap_flow(offload::Device& device, const ByteApplication& application);

/// Runs a job in one of them. On a real device the messages wait in host memory and are compared after a batch has run,
/// so that neither takes device time; on a model they are drawn on the way, compared by a thread beside, and cost no
/// virtual time.
Run run_on_device(offload::Device& device, const Job& job);

}  // namespace isthmus::program
