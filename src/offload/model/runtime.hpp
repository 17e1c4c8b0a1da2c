#pragma once

#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "isthmus/stream.hpp"
#include "offload/model/command.hpp"
#include "offload/model/workers.hpp"

namespace isthmus::offload::model {

/// The way to a command's end: what it goes to in the host, and on each unit of the device.
struct CommandPath {
  Pieces host{};
  std::map<fabric::Unit, Time> units{};
};

/// What an OpenCL runtime keeps: in-order queues, what each command waits for, who waits for which command, mailboxes.
/// A worker has one command under way. Of a thread's transfers, and of a kernel's launches, the one that was enqueued
/// first goes first; a transfer goes to one of its thread's workers that are free, by what is under way over their
/// links.
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
        known_(workers.threads()) {}

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
  /// The critical path from the run's start to the end of the command that ended last, and that end on the device's
  /// clock; none where no command has ended.
  struct Ended {
    CommandPath path;
    Time end;
  };
  std::optional<Ended> last() const;

 private:
  /// What is known of a command, from the enqueue on.
  struct Record {
    Command* command = nullptr;     ///< while the runtime has its token, and when it has ended
    const Record* known = nullptr;  ///< the last that the host thread had seen the end of when it enqueued this one
    int order = 0;                  ///< in which it was enqueued
    bool dispatched = false;
    CommandPath path{};  ///< the critical path from the run's start to this command's end
    bool complete = false;
    Span ran{};
  };
  struct Waiter {
    std::size_t thread;
    HostCall call;
    bool slept;
  };
  using Queue = std::deque<Record*>;

  bool complete(CommandId command) const;
  bool may_start(const Record& record) const;
  /// The command that was enqueued first, of those that may start and are `wanted`; null if there is none.
  template <class Wanted>
  Record* first_to_start(const Wanted& wanted);
  CommandToken start(Record& record, std::size_t worker, Time now);
  CommandPath path_to(const Record& record, const Command& command) const;
  /// Tells whether the waiter may go on; `told` is the command that it takes out of a mailbox.
  bool granted(const Waiter& waiter, std::optional<CommandId>& told);
  /// What a thread whose wait is over has seen the end of.
  void learn(const Waiter& waiter, const std::optional<CommandId>& told);

  Time base_;
  Workers workers_;
  LinkLoads links_;
  fabric::Units units_;
  std::map<CommandId, Record> records_;
  std::map<int, Queue> queues_;
  std::map<int, std::deque<CommandId>> boxes_;
  std::vector<bool> busy_;  ///< by worker
  std::vector<const Record*> done_by_worker_;
  std::map<int, const Record*> done_by_queue_;
  std::vector<const Record*> known_;  ///< the last command that a thread has seen the end of, by thread
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
