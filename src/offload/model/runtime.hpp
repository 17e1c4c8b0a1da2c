#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "isthmus/stream.hpp"
#include "offload/model/command.hpp"
#include "offload/model/workers.hpp"

namespace isthmus::offload::model {

/// What an OpenCL runtime keeps: in-order queues, what each command waits for, who waits for which command, mailboxes.
/// A worker has one command under way. Of a thread's transfers, and of a kernel's launches, the one that was enqueued
/// first goes first; a transfer goes to one of its thread's workers that are free, by what is under way over their
/// links. A command that is complete and that nobody can ask for is forgotten.
class RuntimeState {
 public:
  /// `base` is the run's start on the device's clock.
  RuntimeState(const Workers& workers, LinkLoads links, const fabric::Units& units, Time base)
      : base_(base),
        workers_(workers),
        links_(std::move(links)),
        units_(units),
        busy_(workers.count()),
        done_by_worker_(workers.count()),
        known_(workers.threads()),
        taken_(workers.threads()) {}

  void call(std::size_t thread, const HostCall& call);
  void completed(CommandToken token, Time now);
  /// A transfer of `thread` that may start now, and a launch of `kernel`.
  std::optional<CommandToken> dispatch_transfer(std::size_t thread, Time now);
  std::optional<CommandToken> dispatch_launch(std::size_t kernel, Time now);
  /// A thread whose wait is over, with what it is told.
  struct Answer {
    std::size_t thread;
    HostReply reply;
  };
  std::optional<Answer> answer();
  bool idle() const;

  /// How long a unit's commands were on the device, and what they moved through its memory.
  struct Done {
    Time time;
    double bytes = 0;
  };
  Done done(fabric::Unit unit) const;
  /// The command that ended last; null where none has.
  const Command* last() const { return last_.get(); }

 private:
  using Ended = std::shared_ptr<const Command>;
  struct Waiter {
    std::size_t thread;
    HostCall call;
    bool slept;
  };
  using Queue = std::deque<Command*>;

  /// The command that was enqueued first, of those that may start and are `wanted`; null if there is none.
  template <class Wanted>
  Command* first_to_start(const Wanted& wanted);
  CommandToken start(Command& command, std::size_t worker, Time now);
  CommandPath path_to(const Command& command) const;
  /// Tells whether the waiter may go on; `taken` is the command that it takes out of a mailbox.
  bool granted(const Waiter& waiter, Ended& taken);
  /// What a thread whose wait is over has seen the end of.
  void learn(const Waiter& waiter, const Ended& taken);

  Time base_;
  Workers workers_;
  LinkLoads links_;
  fabric::Units units_;
  std::map<int, Queue> queues_;
  std::map<int, std::deque<Ended>> boxes_;
  std::vector<bool> busy_;  ///< by worker
  std::vector<Ended> done_by_worker_;
  std::map<int, Ended> done_by_queue_;
  std::map<fabric::Unit, Done> done_;
  Ended last_;
  std::vector<Ended> known_;  ///< the last command that a thread has seen the end of, by thread
  std::vector<Ended> taken_;  ///< out of a mailbox, by thread, until the thread holds it by itself
  std::vector<Waiter> waiters_;
  int enqueued_ = 0;
};

/// The runtime as an actor that serves so many host threads. It takes no time of its own: calls and wake-ups are paid
/// by the threads, the driver's work by the driver.
class Runtime {
 public:
  PortArray<In<HostCall>> calls;
  PortArray<Out<HostReply>> replies;
  PortArray<Out<CommandToken>> workers;
  PortArray<In<CommandToken>> completions;

  Runtime(const Workers& who, LinkLoads links, const fabric::Units& units, Time base);
  void step();
  bool done() const { return finished_; }

  /// What it knows when the run has ended.
  const RuntimeState& state() const { return state_; }

 private:
  bool take_completions();
  bool take_calls();
  void dispatch();
  /// Hands a command to its worker, if there is one.
  bool handed_out(const std::optional<CommandToken>& token);

  Timer timer_;
  Workers who_;
  RuntimeState state_;
  bool finished_ = false;
};

}  // namespace isthmus::offload::model
