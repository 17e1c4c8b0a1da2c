#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "isthmus/engine/report.hpp"
#include "native/native_actor.hpp"
#include "native/worker.hpp"

namespace isthmus::native {

/// The shared state of the workers of one run: its end, and who sleeps.
class Run {
 public:
  explicit Run(bool crowded) : crowded_(crowded) {}

  void add(Worker& worker) { workers_.push_back(&worker); }
  void add(NativeActor& actor) { actors_.push_back(&actor); }
  /// To be called before the workers start.
  void start();

  Time now() const;
  bool stopping() const { return stop_.load(std::memory_order_acquire); }
  /// More workers than cores: who waits must not spin.
  bool crowded() const { return crowded_; }
  /// Actors may be moved between workers: one that has none left waits for more.
  bool moves_actors = false;

  /// Returns true once the run has stopped, false where `time` passes before.
  bool wait_stopped(std::chrono::nanoseconds time);

  /// The interval of time in which actors count their work; 0 between two.
  int interval() const { return interval_.load(std::memory_order_relaxed); }
  void observe(int interval) { interval_.store(interval, std::memory_order_relaxed); }

  void one_finished(const NativeActor& actor);
  /// `who` is an actor, or a worker that could not work.
  void stop_failed(const std::string& who, std::exception_ptr why);
  void stop_stuck(const NativeActor& actor, const End& full);
  /// Actors step, but no token has moved for so long.
  void stop_silent(double seconds);

  Outcome outcome() const { return outcome_; }
  const std::string& message() const { return message_; }
  const std::exception_ptr& failure() const { return failure_; }
  Time elapsed() const { return elapsed_; }

 private:
  friend class Sleeper;

  void stop(Outcome outcome, std::string message);
  void find_why_nothing_moves();

  const bool crowded_;
  std::vector<Worker*> workers_;
  std::vector<NativeActor*> actors_;
  std::chrono::steady_clock::time_point began_;
  std::atomic<int> native_ = 0;  ///< actors neither finished nor periodic
  std::atomic<bool> stop_ = false;
  std::atomic<int> interval_ = 0;
  std::condition_variable stopped_;

  std::mutex mutex_;  ///< guards what follows
  int awake_ = 0;     ///< workers that may still change something by themselves
  Outcome outcome_ = Outcome::finished;
  std::string message_;
  std::exception_ptr failure_;
  Time elapsed_;
};

/// One worker's sleep. When every worker sleeps and none waits for a time, nothing can ever move again.
class Sleeper {
 public:
  explicit Sleeper(Run& run) : run_(run) {}

  /// Sleeps until `wake`, the end of the run, or `until`.
  void sleep(Time until);
  void wake();
  /// The run has stopped; with its mutex held.
  void end() { changed_.notify_one(); }
  /// The worker has no more to do.
  void leave();

 private:
  void fall_asleep();

  Run& run_;
  std::condition_variable changed_;
  bool woken_ = false;
  bool counted_out_ = false;  ///< of those awake
};

}  // namespace isthmus::native
