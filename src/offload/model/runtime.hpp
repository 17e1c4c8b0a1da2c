#pragma once

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "isthmus/stream.hpp"
#include "offload/model/command.hpp"

namespace isthmus::offload::model {

/// What an OpenCL runtime keeps: in-order queues, what each command waits for, who waits for which command, mailboxes.
/// A host thread's transfers are done on its behalf by one worker, launches by one for all. A worker has one command
/// under way; the one that was enqueued first goes first.
class RuntimeState {
 public:
  /// `base` is the run's start on the device's clock.
  RuntimeState(std::size_t threads, Time base)
      : base_(base), busy_(threads + 1), done_by_worker_(threads + 1), known_(threads) {}

  void call(std::size_t thread, const HostCall& call);
  void completed(Command& command, Time now);
  /// A command for `worker` that may start now: worker i transfers for thread i, the last launches.
  Command* dispatch(std::size_t worker, Time now);
  /// A thread whose wait is over, with what it is told.
  struct Answer {
    std::size_t thread;
    HostReply reply;
  };
  std::optional<Answer> answer();
  bool idle() const;

 private:
  struct Waiter {
    std::size_t thread;
    HostCall call;
    bool slept;
  };

  bool may_start(const Command& command) const;
  Pieces path_to(const Command& command) const;
  bool granted(const Waiter& waiter, Command*& told);
  /// What a thread whose wait is over has seen the end of.
  void learn(const Waiter& waiter, const Command* told);

  Time base_;
  std::map<int, std::deque<Command*>> queues_;
  std::map<int, std::deque<Command*>> boxes_;
  std::vector<bool> busy_;  ///< by worker
  std::vector<const Command*> done_by_worker_;
  std::map<int, const Command*> done_by_queue_;
  std::vector<const Command*> known_;  ///< the last command that a thread has seen the end of, by thread
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

  Runtime(std::size_t threads, Time base);
  void step();
  bool done() const { return finished_; }

 private:
  bool take_completions();
  bool take_calls();
  void dispatch();

  Timer timer_;
  RuntimeState state_;
  bool finished_ = false;
};

}  // namespace isthmus::offload::model
