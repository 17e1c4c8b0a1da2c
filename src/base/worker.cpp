#include "isthmus/base/worker.hpp"

#include <utility>

namespace isthmus {

Worker::Worker() : thread_([this] { work(); }) {}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Worker::add(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    tasks_.push_back(std::move(task));
    ++given_;
  }
  changed_.notify_all();
}

void Worker::wait_for(std::uint64_t tasks) {
  std::unique_lock lock(mutex_);
  wait(lock, tasks);
}

void Worker::finish() {
  std::unique_lock lock(mutex_);
  wait(lock, given_);
}

void Worker::wait(std::unique_lock<std::mutex>& lock, std::uint64_t tasks) {
  changed_.wait(lock, [&] { return failure_ || done_ >= tasks; });
  if (failure_) std::rethrow_exception(failure_);
}

void Worker::work() {
  for (std::function<void()> task; next(task);) {
    std::exception_ptr failure;
    try {
      task();
    } catch (...) {
      failure = std::current_exception();
    }
    ended(std::move(failure));
  }
}

bool Worker::next(std::function<void()>& task) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return closing_ || (!failure_ && !tasks_.empty()); });
  if (closing_) return false;
  task = std::move(tasks_.front());
  tasks_.pop_front();
  return true;
}

void Worker::ended(std::exception_ptr failure) {
  {
    const std::lock_guard lock(mutex_);
    if (failure)
      failure_ = std::move(failure);
    else
      ++done_;
  }
  changed_.notify_all();
}

}  // namespace isthmus
