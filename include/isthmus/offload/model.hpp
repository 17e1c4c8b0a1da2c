#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "isthmus/engine/graph.hpp"
#include "isthmus/engine/state.hpp"
#include "isthmus/offload/device.hpp"
#include "isthmus/offload/kernel_model.hpp"
#include "isthmus/platform/description.hpp"
#include "isthmus/platform/grain.hpp"
#include "isthmus/platform/part.hpp"

namespace isthmus::offload {

using platform::bottleneck;
using platform::Grain;
using platform::Part;

/// A host thread's ends of channels to actors beside its machine, who give each other numbers.
struct HostThreadEnds {
  Out<std::int64_t>& tells;
  In<std::int64_t>& told;
};

/// Actors beside a machine, in its graph: what else there is in its host.
class Surroundings {
 public:
  virtual ~Surroundings() = default;
  /// Adds them to the graph of a run, tied to each of its host threads.
  virtual void build(Graph& graph, std::span<const HostThreadEnds> threads) = 0;
  /// The parts of the graph that was built last.
  virtual std::vector<platform::PartPlan> parts() const = 0;
  virtual void ended(const RunReport& report) = 0;
};

/// A modelled board in its host: a machine of actors in exact virtual time, built anew for each run; the bytes in its
/// buffers and the clock go on from run to run.
class ModelDevice : public Device {
 public:
  /// The parts in the last run, in the order in which data to the device pass them.
  virtual const std::vector<Part>& parts() const = 0;
  virtual Time last_run() const = 0;  ///< how long it took
  virtual Grain grain() const = 0;    ///< of the last run
  /// The shares of the parts in the last run's critical path.
  virtual const std::vector<platform::Held>& path() const = 0;
  /// From now on `states` is told how the parts of each run spend their time, on the device's clock.
  virtual void observe(StateObserver* states) = 0;
  /// From now on runs have these beside them, and are fine; null: none. They outlive the runs.
  virtual void surround(Surroundings* surroundings) = 0;
  /// The host thread at work waits for a number from them.
  virtual std::int64_t hear() = 0;
  /// It gives them a number.
  virtual void tell(std::int64_t number) = 0;
  /// What host threads and the driver worked in the last run, all together; a thread that waits does not.
  virtual Time host_work() const = 0;
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
  /// The coarsest that will do. A coarse run has one host thread, and ends with an Error where commands of two queues
  /// are under way at once.
  Grain grain = Grain::fine;
};

/// Opens a model of the board that can run `kernels`, one of them at a time. What the board's parts cannot do is an
/// Error when it is asked for.
std::unique_ptr<ModelDevice> open_model(const platform::Description& board, std::vector<KernelModel> kernels,
                                        const ModelOptions& options = {});

}  // namespace isthmus::offload
