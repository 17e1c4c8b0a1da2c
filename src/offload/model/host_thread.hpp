#pragma once

#include <exception>
#include <memory>
#include <utility>
#include <vector>

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

/// The identity of a run of a device, by which an event knows its own.
struct RunIdentity {
  bool over = false;  ///< with all its commands
};

/// What the host threads of a run are told of their device; none of it changes while it goes on.
struct RunContext {
  std::shared_ptr<RunIdentity> run;
  const platform::Description& board;
  CallCosts costs;
  const PinnedMap& pinned;
  fabric::Units units;
  Time start;               ///< of the run on the device's clock
  bool surrounded = false;  ///< there are actors beside the machine
};

/// An event of a run, as the thread sees it that made it or took it.
class ModelEvent final : public EventState {
 public:
  ModelEvent(std::shared_ptr<const RunIdentity> run, std::shared_ptr<const Command> command,
             std::shared_ptr<const QueueProgress> progress)
      : run_(std::move(run)),
        command_(std::move(command)),
        progress_(std::move(progress)),
        number_(progress_ != nullptr ? progress_->enqueued : 0) {}
  const std::shared_ptr<const Command>& command() const { return command_; }
  /// Tells whether its command ended with a run before this one. Throws Error where it is of another device's run.
  bool is_past(const RunIdentity& now) const;
  /// Says that the command has ended.
  void tell() const { known_ = true; }
  Span span() const override { return ended().ran; }
  Span computing() const override { return {.start = ended().ran.end - ended().on_device(), .end = ended().ran.end}; }

 private:
  /// Throws Error where that is not known.
  const Command& ended() const;

  std::shared_ptr<const RunIdentity> run_;
  std::shared_ptr<const Command> command_;
  std::shared_ptr<const QueueProgress> progress_;  ///< of the thread's own queue; null: of another thread
  std::int64_t number_;                            ///< in its queue
  mutable bool known_ = false;
};

/// A host thread of a flow: one step, which runs its body.
class HostThreadActor {
 public:
  Out<HostCall> calls{"calls"};
  In<HostReply> replies{"replies"};
  PortArray<Out<std::int64_t>> tells;  ///< one where there are actors beside the machine
  PortArray<In<std::int64_t>> told;

  /// The `index`th of the run.
  HostThreadActor(const HostThread& thread, std::size_t index, const RunContext& context)
      : tells(context.surrounded ? 1 : 0, "tells"),
        told(context.surrounded ? 1 : 0, "told"),
        thread_(thread),
        index_(static_cast<std::uint32_t>(index)),
        context_(context) {}

  void step();
  bool done() const { return finished_; }

  /// What the body threw, and when.
  std::exception_ptr failure() const { return failure_; }
  Time failed_at() const { return failed_at_; }

 private:
  friend class ModelHost;

  Timer timer_;
  const HostThread& thread_;
  std::uint32_t index_;
  const RunContext& context_;
  std::uint32_t made_ = 0;
  std::vector<std::shared_ptr<Command>> under_way_;  ///< and some that have ended
  std::size_t room_ = 64;                            ///< for them, until those that have ended are forgotten
  std::exception_ptr failure_;
  Time failed_at_;
  bool finished_ = false;
};

}  // namespace isthmus::offload::model
