#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>

#include "offload/threads/device.hpp"

namespace isthmus::offload::threads {

/// Ends a host thread after another one failed.
struct Ended {};

/// Shared by the host threads of one run: whether one of them has failed.
class Run {
 public:
  /// Notes the first failure and wakes the threads that wait at a mailbox.
  void fail(std::exception_ptr failure);
  void rethrow() const;
  bool failed() const { return failure_ != nullptr; }

  std::mutex mutex;
  std::condition_variable changed;

 private:
  std::exception_ptr failure_;
};

class ThreadedMailbox final : public Mailbox {
 public:
  explicit ThreadedMailbox(std::size_t depth) : depth_(depth) {}
  /// Block while full or empty; throw Ended if the run fails.
  void put(Run& run, Event event);
  Event take(Run& run);

 private:
  std::size_t depth_;
  std::deque<Event> events_;
};

/// One host thread's calls, straight to the device.
class ThreadedHost final : public Host {
 public:
  ThreadedHost(const ThreadedDevice& device, Run& run) : device_(device), run_(run) {}

  Event write(Queue& queue, const BufferPart& to, std::span<const std::byte> from, Call call,
              std::vector<Event> after) override;
  Event read(Queue& queue, const BufferPart& from, std::span<std::byte> to, Call call,
             std::vector<Event> after) override;
  Event launch(Queue& queue, const Launch& launch, std::vector<Event> after) override;
  void wait(const Event& event) override;
  void finish(Queue& queue) override;
  void put(Mailbox& mailbox, Event event) override;
  Event take(Mailbox& mailbox) override;
  void work(Time time) override;
  Time now() const override { return device_.clock(); }

 private:
  Event given(Queue& queue, ComputeEvent event, Call call) const;
  void stop_if_failed() const;

  const ThreadedDevice& device_;
  Run& run_;
};

/// Device::run: a thread for each body, the first failure rethrown when all have ended.
void run_threads(const ThreadedDevice& device, const std::vector<HostThread>& threads);

}  // namespace isthmus::offload::threads
