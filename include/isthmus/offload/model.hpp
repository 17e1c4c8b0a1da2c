#pragma once

#include <memory>
#include <string>
#include <vector>

#include "isthmus/engine/trace.hpp"
#include "isthmus/offload/device.hpp"
#include "isthmus/offload/kernel_model.hpp"
#include "isthmus/platform/description.hpp"
#include "isthmus/platform/grain.hpp"
#include "isthmus/platform/part.hpp"

namespace isthmus::offload {

using platform::bottleneck;
using platform::Grain;
using platform::Part;

/// A modelled board in its host: a machine of actors in exact virtual time, built anew for each run; the bytes in its
/// buffers and the clock go on from run to run.
class ModelDevice : public Device {
 public:
  /// The parts in the last run, in the order in which data to the device pass them.
  virtual const std::vector<Part>& parts() const = 0;
  virtual Time last_run() const = 0;  ///< how long it took
  virtual Grain grain() const = 0;    ///< of the last run
  /// What the parts hold of the last run's critical path.
  virtual const std::vector<platform::Held>& path() const = 0;
  /// From now on `states` is told how the parts of each run spend their time, on the device's clock.
  virtual void observe(StateObserver* states) = 0;
  /// From now on actors that are ready run in an order of this seed's (see RunOptions). No result depends on it.
  virtual void shuffle(std::uint64_t schedule_seed) = 0;
};

struct ModelOptions {
  /// The link that joins device and host; empty: all that the board has. Each has a DMA engine of its own, and host
  /// threads a worker at each, so that several transfers of one thread are under way where its queues let them. When a
  /// transfer may start, it goes to the link, of those at which its thread has a worker free, that would have done with
  /// it first: by the link's rate, and by the bytes of the transfers under way in its direction. Of links that would at
  /// one time, it goes to the one with less under way in the other direction, then to the first of the board's file. It
  /// is not split. Kernels are started over the first link.
  std::string channel{};
  std::uint64_t seed = 1;
  Grain grain = Grain::fine;  ///< the coarsest that will do
};

/// Opens a model of the board that can run `kernels`, one of them at a time. What the board's parts cannot do is an
/// Error when it is asked for.
std::unique_ptr<ModelDevice> open_model(const platform::Description& board, std::vector<KernelModel> kernels,
                                        const ModelOptions& options = {});

}  // namespace isthmus::offload
