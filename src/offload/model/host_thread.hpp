#pragma once

#include <exception>

#include "isthmus/platform/description.hpp"
#include "isthmus/stream.hpp"
#include "offload/model/command.hpp"
#include "offload/model/objects.hpp"

namespace isthmus::offload::model {

/// What calls cost the thread that makes them.
struct CallCosts {
  Time enqueue;
  Time wake;
};

/// What the host threads of a run share with their device: read by them, or only added to.
struct RunContext {
  const platform::Description& board;
  CallCosts costs;
  const PinnedMap& pinned;
  Time start;                                      ///< of the run on the device's clock
  std::vector<std::shared_ptr<Command>> commands;  ///< kept alive until the run has ended
  std::exception_ptr failure;                      ///< the first of a body
};

/// A host thread of a flow: one step, which runs its body.
class HostThreadActor {
 public:
  Out<HostCall> calls{"calls"};
  In<HostReply> replies{"replies"};

  HostThreadActor(const HostThread& thread, RunContext& context) : thread_(thread), context_(context) {}

  void step();
  bool done() const { return finished_; }

 private:
  friend class ModelHost;

  Timer timer_;
  const HostThread& thread_;
  RunContext& context_;
  bool finished_ = false;
};

}  // namespace isthmus::offload::model
