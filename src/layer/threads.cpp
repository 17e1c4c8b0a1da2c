#include "layer/threads.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <new>

#include "layer/journal.hpp"

namespace isthmus::layer {
namespace {

/// All that there ever were, from the latest on.
std::atomic<Thread*> all{nullptr};

/// Threads that come when there is no memory for one more share one.
Thread* new_thread() {
  static Thread last;
  auto* const thread = new (std::nothrow) Thread;
  if (thread == nullptr) return &last;
  thread->before = all.load(std::memory_order_relaxed);
  while (!all.compare_exchange_weak(thread->before, thread)) {
  }
  return thread;
}

}  // namespace

Thread& this_thread() {
  static thread_local Thread* thread = nullptr;
  if (thread == nullptr) thread = new_thread();
  const std::uint32_t generation = journal().generation();
  if (thread->of != generation) {
    thread->of = generation;
    thread->number = static_cast<std::uint32_t>(syscall(SYS_gettid));
    thread->polls = 0;
  }
  return *thread;
}

}  // namespace isthmus::layer
