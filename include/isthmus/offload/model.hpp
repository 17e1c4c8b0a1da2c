#pragma once

#include <memory>
#include <string>
#include <vector>

#include "isthmus/engine/report.hpp"
#include "isthmus/engine/trace.hpp"
#include "isthmus/offload/device.hpp"
#include "isthmus/offload/kernel_model.hpp"
#include "isthmus/platform/description.hpp"

namespace isthmus::offload {

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

/// A modelled board in its host: a machine of actors in exact virtual time, built anew for each run; the bytes in its
/// buffers and the clock go on from run to run.
class ModelDevice : public Device {
 public:
  /// The parts in the last run, in the order in which data to the device pass them.
  virtual const std::vector<Part>& parts() const = 0;
  virtual Time last_run() const = 0;  ///< how long it took
  /// From now on `states` is told how the parts of each run spend their time, on the device's clock.
  virtual void observe(StateObserver* states) = 0;
};

/// Opens a model of the platform that can run `kernels`, one of them at a time.
std::unique_ptr<ModelDevice> open_model(const platform::Description& platform, std::vector<KernelModel> kernels,
                                        std::uint64_t seed = 1);

/// The part that is busy for the greatest share of `elapsed`, and the next that another resource holds: what would be
/// the limit if the first part's resource were faster.
Bottleneck bottleneck(const std::vector<Part>& parts, Time elapsed);

}  // namespace isthmus::offload
