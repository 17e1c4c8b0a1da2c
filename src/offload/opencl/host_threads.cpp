#include "offload/opencl/host_threads.hpp"

#include <fmt/format.h>

#include <system_error>
#include <thread>
#include <utility>

#include "isthmus/base/error.hpp"

namespace isthmus::offload::opencl {
namespace {

struct Ended {};

}  // namespace

void HostThreads::run(const std::vector<HostThread>& threads) {
  if (threads.size() == 1) return threads.front().body();
  const auto guarded = [this](const HostThread& thread) {
    try {
      thread.body();
    } catch (const Ended&) {
    } catch (...) {
      fail(std::current_exception());
    }
  };
  {
    std::vector<std::jthread> running;
    for (const HostThread& thread : threads) {
      try {
        running.emplace_back(guarded, std::cref(thread));
      } catch (const std::system_error& error) {
        fail(std::make_exception_ptr(Error(fmt::format("host thread '{}': {}", thread.name, error.what()))));
        break;
      }
    }
  }
  failed_ = false;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void HostThreads::stop_if_failed() const {
  if (failed_) throw Ended{};
}

/// Notes the first failure and wakes the threads that wait at a mailbox.
void HostThreads::fail(std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(failure);
  failed_ = true;
  changed_.notify_all();
}

void ThreadMailbox::put(Event event) {
  std::unique_lock lock(threads_.mutex_);
  threads_.changed_.wait(lock, [this] { return events_.size() < depth_ || threads_.failed_; });
  threads_.stop_if_failed();
  events_.push_back(std::move(event));
  threads_.changed_.notify_all();
}

Event ThreadMailbox::take() {
  std::unique_lock lock(threads_.mutex_);
  threads_.changed_.wait(lock, [this] { return !events_.empty() || threads_.failed_; });
  threads_.stop_if_failed();
  Event event = std::move(events_.front());
  events_.pop_front();
  threads_.changed_.notify_all();
  return event;
}

}  // namespace isthmus::offload::opencl
