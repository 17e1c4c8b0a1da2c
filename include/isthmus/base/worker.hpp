#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace isthmus {

/// A thread that does tasks beside the one that gives them, one after the other and in their order. What a task throws
/// ends the work: each later call throws it again.
class Worker {
 public:
  Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  /// Waits for the task that runs; those that wait are dropped.
  ~Worker();

  void add(std::function<void()> task);
  /// Until the first `tasks` of all that were given are done.
  void wait_for(std::uint64_t tasks);
  /// Until all are.
  void finish();

 private:
  void work();
  bool next(std::function<void()>& task);
  void ended(std::exception_ptr failure);
  void wait(std::unique_lock<std::mutex>& lock, std::uint64_t tasks);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;  ///< tasks that have not begun
  std::uint64_t given_ = 0;
  std::uint64_t done_ = 0;
  std::exception_ptr failure_;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace isthmus
