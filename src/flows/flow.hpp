#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "application/run.hpp"
#include "isthmus/application/exchange.hpp"
#include "isthmus/native.hpp"
#include "isthmus/offload/device.hpp"
#include "isthmus/platform/description.hpp"
#include "isthmus/platform/needs.hpp"
#include "isthmus/platform/part.hpp"

/// What a flow is: a folder here makes each, flows.cpp has their table.
namespace isthmus::program {

/// A run on a modelled board, and what explains it.
struct BoardRun {
  Run run{};
  std::vector<platform::Part> parts{};  ///< parts in the order in which data pass them
  Grain grain = Grain::fine;
  std::vector<platform::Held> path{};  ///< the critical path, where the flow has commands
};

/// A run on threads of this machine, and who ran it.
struct ThreadsRun {
  Run run{};
  int units = 1;                                ///< copies of the kernel that shared the messages
  std::vector<native::WorkerReport> workers{};  ///< reports of the workers, with the actors that each ran
};

/// A flow between copies to and from a device's memory, set up and ready to run. Running may be repeated.
class DeviceFlow {
 public:
  virtual ~DeviceFlow() = default;
  virtual FlowTimes run(Exchange& messages, int first, int count) = 0;
};

/// How data go through an application's actors: words of messages, or packets of a network.
struct ThroughActors {
  platform::Needs needs{};  ///< parts that a modelled board needs; none: the flow does not carry such data
  /// Runs a job on a modelled board, or on threads; null: not there.
  BoardRun (*on_board)(const platform::Description& board, const Job& job) = nullptr;
  ThreadsRun (*on_threads)(const Job& job) = nullptr;
  /// The faults that act on something there.
  std::span<const std::string_view> board_faults{};
  std::span<const std::string_view> thread_faults{};
};

/// A way in which an application's data cross.
struct Flow {
  std::string_view name;
  /// Sets it up, where messages lie in the device's memory before and after the kernel; none where they go through
  /// the application's actors. Throws Error where the buffers of its kernel do not hold its messages.
  std::unique_ptr<DeviceFlow> (*between_copies)(offload::Device& device, const ByteApplication& application) = nullptr;
  ThroughActors words{};
  ThroughActors packets{};
  bool at_once = false;       ///< whether several messages are under way between copies
  bool over_any = false;      ///< whether the job chooses among the board's channels; else the flow has one link
  bool in_place = false;      ///< whether the flow takes an application's datapath, which reads messages in place
  bool device_memory = true;  ///< whether kernels reach the device's memory
  bool host_memory = false;   ///< whether kernels reach the host's memory over the link by themselves
  /// Tells whether packets of a network come to its host threads and leave from them, on a board whose host has one.
  bool host_network = false;
  bool storage = false;  ///< whether messages may come from a drive
  /// The parts that a board must have if an application has buffers that ports move; none: the flow moves none.
  platform::Needs port_needs{};

  /// How an application's data go through its actors.
  const ThroughActors& carries(const ByteApplication& application) const {
    return application.extras.packets ? packets : words;
  }
  /// The parts that a modelled board needs for an application.
  platform::Needs needs(const ByteApplication& application) const;
  /// Tells whether the application has the kernel that it takes, and that has what it needs.
  bool takes(const ByteApplication& application) const;
};

}  // namespace isthmus::program
