#pragma once

#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "isthmus/offload/device.hpp"
#include "isthmus/platform/description.hpp"
#include "isthmus/stream.hpp"
#include "offload/model/command.hpp"
#include "offload/model/objects.hpp"

namespace isthmus::offload::model {

class HostThreadActor;

/// The host thread of a device whose body goes on: the engine lets one go on at a time, and the others wait for it.
class AtWork {
 public:
  explicit AtWork(std::string board) : board_(std::move(board)) {}
  /// Throws Error where no body of the device goes on.
  HostThreadActor& thread() const;
  HostThreadActor* thread_if_any() const { return thread_; }
  /// The new one; returns the one before.
  HostThreadActor* change(HostThreadActor* thread) { return std::exchange(thread_, thread); }
  /// The error of a command for which the machine has no part.
  Error refused(const std::string& what) const;

 private:
  std::string board_;
  HostThreadActor* thread_ = nullptr;
};

/// While in scope, a thread is at work, or none.
class Shift {
 public:
  Shift(AtWork& work, HostThreadActor* thread) : work_(work), before_(work.change(thread)) {}
  ~Shift() { work_.change(before_); }
  Shift(const Shift&) = delete;
  Shift& operator=(const Shift&) = delete;

 private:
  AtWork& work_;
  HostThreadActor* before_;
};

/// What calls cost the thread that makes them.
struct CallCosts {
  Time enqueue;
  Time wake;
};

/// The identity of a run of a device, by which an event knows its own.
struct RunIdentity {
  bool over = false;  ///< with all its commands
};

/// What the host threads of a run know of their device; none of it changes while it goes on.
struct RunContext {
  std::shared_ptr<RunIdentity> run;
  AtWork& at_work;
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
  ModelEvent(const RunContext& context, std::shared_ptr<const Command> command,
             std::shared_ptr<const QueueProgress> progress)
      : at_work_(context.at_work),
        run_(context.run),
        command_(std::move(command)),
        progress_(std::move(progress)),
        number_(progress_ != nullptr ? progress_->enqueued : 0) {}
  const std::shared_ptr<const Command>& command() const { return command_; }
  /// Tells whether its command ended with a run before this one. Throws Error where it is of another device's run.
  bool is_past(const RunIdentity& now) const;
  void wait() const override;
  Span span() const override { return {.start = Moment(ended().ran.start), .end = Moment(ended().ran.end)}; }
  Span computing() const override {
    return {.start = Moment(ended().ran.end - ended().on_device()), .end = Moment(ended().ran.end)};
  }

 private:
  /// Throws Error where that is not known.
  const Command& ended() const;

  AtWork& at_work_;
  std::shared_ptr<const RunIdentity> run_;
  std::shared_ptr<const Command> command_;
  std::shared_ptr<const QueueProgress> progress_;  ///< of the thread's own queue; null: of another thread
  std::int64_t number_;                            ///< in its queue
  mutable bool known_ = false;
};

/// The moment at which several commands have ended.
class JoinedEvents final : public EventState {
 public:
  explicit JoinedEvents(Events events) : events_(std::move(events)) {}
  const Events& events() const { return events_; }
  void wait() const override {
    for (const Event& event : events_) event.wait();
  }
  Span span() const override;

 private:
  Events events_;
};

/// A buffer from one of its bytes on.
struct BufferPart {
  const Buffer& buffer;
  std::size_t offset;  ///< bytes
};

/// A queue or a mailbox, as the runtime knows it.
struct QueueId {
  int id;
  std::shared_ptr<QueueProgress> progress = std::make_shared<QueueProgress>();
};
struct MailboxId {
  int id;
  int depth;
};

/// A host thread of a program: one step, which runs its body. The calls of that body are here: each is a cost for the
/// thread, then a word with the runtime.
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

  Event write(const QueueId& queue, const BufferPart& to, std::span<const std::byte> from, const Events& after);
  Event read(const QueueId& queue, const BufferPart& from, std::span<std::byte> to, const Events& after);
  Event launch(const QueueId& queue, std::size_t kernel, fabric::KernelCall call, const Events& after);
  void wait(const ModelEvent& event);
  void finish(const QueueId& queue);
  void put(const MailboxId& mailbox, const Event& event);
  Event take(const MailboxId& mailbox);
  void work(Time time);
  std::int64_t hear();
  void tell(std::int64_t number);
  void works_on(int message) { timer_.works_on(message); }
  Time now() { return context_.start + timer_.now(); }

  /// What the body threw, and when.
  std::exception_ptr failure() const { return failure_; }
  Time failed_at() const { return failed_at_; }

 private:
  std::shared_ptr<Command> make(DeviceWork work, const Events& after);
  void pass(Command& command, const BufferPart& at, std::span<const std::byte> memory) const;
  Event enqueue(const QueueId& queue, const std::shared_ptr<Command>& command);
  void keep(const std::shared_ptr<Command>& command);
  HostReply ask(const HostCall& call);

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
