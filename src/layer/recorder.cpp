#include "layer/recorder.hpp"

#include <algorithm>
#include <cstdlib>

#include "layer/carefully.hpp"

namespace isthmus::layer {

Recorder& recorder() {
  static auto* const only = new Recorder;
  return *only;
}

Stopwatch::Stopwatch(Kind kind) : entered(now()) {
  Thread& thread = this_thread();
  thread.idle.store(~std::uint64_t{0}, std::memory_order_relaxed);
  // A flush begins what the thread then waits for.
  if (kind != Kind::flush) thread.calls.fetch_add(1, std::memory_order_relaxed);
  if (thread.polls != 0) recorder().polled(thread.poll_end, thread.poll_end, true);
}

void Recorder::command(const RecordedCall& call, const Stopwatch& watch, cl_int result, cl_event event,
                       bool program_asks) noexcept {
  carefully([&] {
    std::unique_lock guard(lock_);
    names_.introduce();
    Queue& queue = queues_.find(call.queue);
    queues_.introduce(queue);
    const std::uint32_t kernel = names_.kernel(call.kernel);
    const std::uint64_t id = ++last_id_;
    if (event != nullptr) queue.pending.push_back({event, id});
    const bool many = queue.pending.size() >= queue.look_at;
    const std::uint32_t number = queue.id;
    guard.unlock();
    if (call.blocking)
      settle(queue, Look::at_the_complete);
    else if (many)
      settle(queue, Look::at_a_few);
    const auto flags =
        (call.blocking ? kBlocking : 0) | (program_asks ? kProgramAsks : 0) | (event != nullptr ? kHasTimes : 0);
    write(call, watch, result, id, number, kernel, static_cast<std::uint16_t>(flags));
  });
}

void Recorder::about_to_finish(cl_command_queue handle) noexcept {
  carefully([&] {
    std::unique_lock guard(lock_);
    Queue& queue = queues_.find(handle);
    const bool many = queue.pending.size() > 1;
    guard.unlock();
    if (!many || driver().clFlush(handle) != CL_SUCCESS) return;
    settle(queue, Look::at_the_complete);
  });
}

void Recorder::host_call(const RecordedCall& call, const Stopwatch& watch, cl_int result) noexcept {
  carefully([&] {
    std::unique_lock guard(lock_);
    names_.introduce();
    std::uint32_t number = 0;
    if (call.queue != nullptr) {
      Queue& queue = queues_.find(call.queue);
      queues_.introduce(queue);
      number = queue.id;
    }
    const std::uint64_t id = ++last_id_;
    guard.unlock();
    if (call.kind == Kind::finish) settle(call.queue);
    if (call.kind == Kind::wait_for_events) settle_all();
    write(call, watch, result, id, number, 0, static_cast<std::uint16_t>(call.blocking ? kBlocking : 0));
  });
}

void Recorder::waited(Kind kind, std::uint32_t thread, std::uint64_t begin, std::uint64_t end) noexcept {
  carefully([&] {
    const std::uint64_t entered = now();
    std::unique_lock guard(lock_);
    names_.introduce();
    const std::uint64_t id = ++last_id_;
    guard.unlock();
    journal().append<CallSlot>(SlotType::call, [&](CallSlot& slot) {
      slot.kind = static_cast<std::uint8_t>(kind);
      slot.flags = kBlocking;
      slot.thread = thread;
      slot.id = id;
      slot.begin = begin;
      slot.end = end;
      slot.waits = 1;
      slot.overhead = now() - entered;
    });
  });
}

void Recorder::polled(std::uint64_t begin, std::uint64_t end, bool complete) noexcept {
  Thread& thread = this_thread();
  if (!complete) {
    if (thread.polls++ == 0) thread.poll_begin = begin;
    thread.poll_end = end;
  } else if (std::exchange(thread.polls, 0) != 0) {
    waited(Kind::poll_events, thread.number, thread.poll_begin, end);
  }
}

void Recorder::write(const RecordedCall& call, const Stopwatch& watch, cl_int result, std::uint64_t id,
                     std::uint32_t queue, std::uint32_t kernel, std::uint16_t flags) {
  Thread& thread = this_thread();
  journal().append<CallSlot>(SlotType::call, [&](CallSlot& slot) {
    slot.kind = static_cast<std::uint8_t>(call.kind);
    slot.flags = flags;
    slot.thread = thread.number;
    slot.id = id;
    slot.queue = queue;
    slot.kernel = kernel;
    slot.bytes = call.bytes;
    slot.begin = watch.begin;
    slot.end = watch.end;
    slot.dimensions = call.dimensions;
    slot.result = result;
    for (cl_uint at = 0; at < std::min(call.dimensions, cl_uint{3}); ++at) {
      slot.global[at] = call.global != nullptr ? call.global[at] : 0;
      slot.local[at] = call.local != nullptr ? static_cast<std::uint32_t>(call.local[at]) : 0;
    }
    slot.waits = call.waits;
    slot.overhead = (watch.begin - watch.entered) + (now() - watch.end);
  });
  thread.idle.store(watch.end, std::memory_order_release);
}

void Recorder::introduce() noexcept {
  carefully([&] {
    const std::lock_guard guard(lock_);
    names_.introduce();
  });
}

void Recorder::queue_made(cl_command_queue handle, const Queue& seen) noexcept {
  carefully([&] {
    const std::lock_guard guard(lock_);
    names_.introduce();
    queues_.made(handle, seen);
    if (std::exchange(watches_exit_, true)) return;
    // From here on the driver is there: its own work at exit, which was asked for before, comes after this.
    std::atexit([] { recorder().leave(); });
  });
}

Queue Recorder::queue(cl_command_queue handle) {
  const std::lock_guard guard(lock_);
  const Queue& found = queues_.find(handle);
  return {.id = found.id,
          .properties = found.properties,
          .forced = found.forced,
          .told_by_list = found.told_by_list,
          .list = found.list};
}

void Recorder::set_queue_properties(cl_command_queue handle, cl_command_queue_properties properties, bool forced) {
  const std::lock_guard guard(lock_);
  Queue& queue = queues_.find(handle);
  queue.properties = properties;
  queue.forced = forced;
}

void Recorder::kernel_made(cl_kernel kernel) noexcept {
  const std::lock_guard guard(lock_);
  names_.forget(kernel);
}

void Recorder::extension(const char* name) noexcept {
  carefully([&] {
    const std::lock_guard guard(lock_);
    names_.introduce();
    names_.extension(name);
  });
}

void Recorder::mapped(void* object, void* place, std::uint64_t bytes) noexcept {
  carefully([&] {
    const std::lock_guard guard(lock_);
    mapped_[{object, place}] = bytes;
  });
}

std::uint64_t Recorder::unmapped(void* object, void* place) noexcept {
  const std::lock_guard guard(lock_);
  const auto found = mapped_.find({object, place});
  if (found == mapped_.end()) return 0;
  const std::uint64_t bytes = found->second;
  mapped_.erase(found);
  return bytes;
}

void Recorder::before_fork() {
  lock_.lock();
  journal().before_fork();
}

void Recorder::after_fork_in_parent() {
  journal().after_fork_in_parent();
  lock_.unlock();
}

void Recorder::after_fork_in_child() {
  journal().after_fork_in_child();
  // Commands under way are the parent's.
  for (auto& [handle, queue] : queues_) queue.pending.clear();
  lock_.unlock();
}

}  // namespace isthmus::layer
