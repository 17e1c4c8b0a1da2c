#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/fiber.hpp"
#include "isthmus/base/units.hpp"

namespace isthmus::native {

class NativeActor;
class Run;
class Sleeper;

/// A thread, and the actors that it runs in turn, each until it has to wait. A step that waits inside keeps its stack,
/// and the worker goes on with another one.
class Worker {
 public:
  Worker(Run& run, std::size_t stack_bytes);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void add(NativeActor& actor) { actors_.push_back(&actor); }
  /// Runs actors, as the body of the thread, until all of them have finished or the run has stopped.
  void work();

  /// Lets other actors run until `actor` is ready.
  void suspend(NativeActor& actor);
  /// Says that something has happened for which one of its actors waits. Any thread may call it.
  void wake();
  /// Makes the worker look at which actors have to go and which have come. Any thread may call it.
  void call();
  void take(NativeActor& actor);
  /// How often one of its actors was counted, or it looked in vain for one to run.
  int turns() const { return turns_.load(std::memory_order_relaxed); }
  bool busy() const { return busy_.load(std::memory_order_relaxed); }
  /// Ends its sleep, because the run has stopped; the caller holds the run's mutex.
  void end_sleep();

  Run& run() const { return run_; }
  const std::vector<NativeActor*>& actors() const { return actors_; }

 private:
  static void dispatch(void* worker);
  void exchange_actors();
  void goes_on(NativeActor& actor);
  void rests(NativeActor& actor);
  static void after_overflow(void* worker);
  NativeActor* pick(NativeActor* after);
  NativeActor* next_ready(const NativeActor* after);
  NativeActor* after_turn();
  NativeActor* insistent();
  void order_actors();
  NativeActor* next_to_unwind() const;
  void idle();
  void sleep();
  void watch(bool on);
  bool any_ready() const;

  Run& run_;
  std::size_t stack_bytes_;
  std::vector<NativeActor*> actors_;
  std::unique_ptr<engine::Fibers> fibers_;  ///< fibers of the thread, while it works
  std::unique_ptr<Sleeper> sleeper_;
  NativeActor* next_ = nullptr;
  NativeActor* running_ = nullptr;
  std::size_t turn_ = 0;  ///< index of the actor whose turn it is
  int favours_ = 0;       ///< actors in a row that ran out of their turn
  unsigned picks_ = 0;
  std::size_t insisted_ = 0;  ///< place of the last actor that stepped though its lead was closed
  int idle_rounds_ = 0;
  std::atomic<int> turns_ = 0;
  std::atomic<bool> busy_ = true;

  std::atomic<bool> called_ = false;
  std::mutex door_;                    ///< guards the member below
  std::vector<NativeActor*> arrived_;  ///< actors that are not yet among `actors_`
};

}  // namespace isthmus::native
