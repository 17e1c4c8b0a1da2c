#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <vector>

#include "isthmus/engine/report.hpp"
#include "native/native_actor.hpp"
#include "native/worker.hpp"

namespace isthmus::native {

/// The shared state of the workers of one run: its end, and which of them sleep.
class Run {
 public:
  explicit Run(bool crowded) : crowded_(crowded) {}

  void add(Worker& worker) { workers_.push_back(&worker); }
  void add(NativeActor& actor) { actors_.push_back(&actor); }
  /// Call it before the workers start.
  void start();

  Time now() const;
  bool stopping() const { return stop_.load(std::memory_order_acquire); }
  /// Tells whether there are more workers than cores: then a waiting worker must not spin.
  bool crowded() const { return crowded_; }
  /// Tells whether actors may be moved between workers: then a worker without actors waits for some.
  bool moves_actors = false;

  /// Returns true after the run has stopped, false if `time` passes before that.
  bool wait_stopped(std::chrono::nanoseconds time);

  /// The number of the interval in which actors count their work; 0 between two.
  int interval() const { return interval_.load(std::memory_order_relaxed); }
  void observe(int interval) { interval_.store(interval, std::memory_order_relaxed); }

  void one_finished(const NativeActor& actor);
  /// Stops the run with an error of `who`, an actor, or a worker that could not work.
  void stop_failed(const std::string& who, std::exception_ptr why);
  void stop_stuck(const NativeActor& actor, const End& full);
  /// Stops the run because actors step, but no token has moved for this time.
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

  std::mutex mutex_;  ///< guards the members below
  int awake_ = 0;     ///< workers that may still change something by themselves
  Outcome outcome_ = Outcome::finished;
  std::string message_;
  std::exception_ptr failure_;
  Time elapsed_;
};

/// The sleep of one worker. When every worker sleeps and none waits for a time, nothing can ever move again.
class Sleeper {
 public:
  explicit Sleeper(Run& run) : run_(run) {}

  /// Sleeps until `wake`, the end of the run, or `until`.
  void sleep(Time until);
  void wake();
  /// Ends the sleep, because the run has stopped; the caller holds its mutex.
  void end() { changed_.notify_one(); }
  /// Called when the worker has no more to do.
  void leave();

 private:
  void fall_asleep();

  Run& run_;
  std::condition_variable changed_;
  bool woken_ = false;
  bool counted_out_ = false;  ///< whether it no longer counts among the workers that are awake
};

}  // namespace isthmus::native
