#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <vector>

#include "isthmus/offload/device.hpp"

namespace isthmus::offload::opencl {

/// The host threads of a device's run, and whether one of them has failed.
class HostThreads {
 public:
  /// Runs each body in a thread of its own, one alone in the caller's; rethrows the first failure when all have ended.
  void run(const std::vector<HostThread>& threads);
  /// Ends the thread that calls it, after another one has failed.
  void stop_if_failed() const;

 private:
  friend class ThreadMailbox;
  void fail(std::exception_ptr failure);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> failed_ = false;
  std::exception_ptr failure_;
};

class ThreadMailbox final : public Mailbox {
 public:
  ThreadMailbox(HostThreads& threads, std::size_t depth) : threads_(threads), depth_(depth) {}
  void put(Event event) override;
  Event take() override;

 private:
  HostThreads& threads_;
  std::size_t depth_;
  std::deque<Event> events_;
};

}  // namespace isthmus::offload::opencl
