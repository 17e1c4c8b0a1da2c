#include "layer/recorder.hpp"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <optional>
#include <vector>

#include "layer/information.hpp"

namespace isthmus::layer {
namespace {

// Of an in-order queue that is beyond its limit, a call asks for the times of two commands: one more than it adds.
constexpr std::size_t kAtOnce = 2;

struct Times {
  cl_ulong queued = 0;
  cl_ulong submit = 0;
  cl_ulong start = 0;
  cl_ulong end = 0;
};

/// Those of a command that is complete. Each question takes NVIDIA's driver 1.4 us, so its state is not asked for too:
/// a command that is under way has no end.
std::optional<Times> times_of(cl_event event) {
  Times times;
  const auto told = [&](cl_profiling_info name, cl_ulong& time) {
    return driver().clGetEventProfilingInfo(event, name, sizeof time, &time, nullptr) == CL_SUCCESS;
  };
  const bool all = told(CL_PROFILING_COMMAND_END, times.end) && times.end != 0 &&
                   told(CL_PROFILING_COMMAND_START, times.start) && told(CL_PROFILING_COMMAND_SUBMIT, times.submit) &&
                   told(CL_PROFILING_COMMAND_QUEUED, times.queued);
  return all ? std::optional(times) : std::nullopt;
}

/// Writes the command's times if it is complete; false if it is not.
bool write_times(const Pending& command) {
  cl_int status = CL_COMPLETE;
  auto times = times_of(command.event);
  if (!times) {
    status = information<cl_int>(driver().clGetEventInfo, command.event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                 CL_INVALID_EVENT);
    if (status > CL_COMPLETE) return false;
    // It may have come to its end in between; one that failed has no times.
    times = times_of(command.event).value_or(Times{});
  }
  journal().append<TimesSlot>(SlotType::times, [&](TimesSlot& slot) {
    slot.status = status;
    slot.id = command.id;
    slot.queued = times->queued;
    slot.submit = times->submit;
    slot.start = times->start;
    slot.end = times->end;
  });
  return true;
}

/// Does what needs memory; where there is none, the journal counts what it lacks.
template <class Work>
void carefully(const Work& work) noexcept {
  try {
    work();
  } catch (...) {
    journal().lost();
  }
}

}  // namespace

Recorder& recorder() {
  static auto* const only = new Recorder;
  return *only;
}

Stopwatch::Stopwatch() : entered(now()) {
  Thread& thread = this_thread();
  thread.calls.fetch_add(1, std::memory_order_relaxed);
  if (thread.polls != 0) recorder().polled(thread.poll_end, thread.poll_end, true);
}

void Recorder::command(const Call& call, const Stopwatch& watch, cl_int result, cl_event event,
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

void Recorder::host_call(const Call& call, const Stopwatch& watch, cl_int result) noexcept {
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

void Recorder::write(const Call& call, const Stopwatch& watch, cl_int result, std::uint64_t id, std::uint32_t queue,
                     std::uint32_t kernel, std::uint16_t flags) {
  journal().append<CallSlot>(SlotType::call, [&](CallSlot& slot) {
    slot.kind = static_cast<std::uint8_t>(call.kind);
    slot.flags = flags;
    slot.thread = this_thread().number;
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
}

void Recorder::settle(cl_command_queue handle) noexcept {
  carefully([&] {
    std::unique_lock guard(lock_);
    Queue& queue = queues_.find(handle);
    guard.unlock();
    settle(queue, Look::at_all);
  });
}

void Recorder::look_at_the_complete(cl_command_queue handle) noexcept {
  carefully([&] {
    std::unique_lock guard(lock_);
    Queue* const queue = queues_.known(handle);
    const bool any = queue != nullptr && !queue->pending.empty();
    guard.unlock();
    if (any) settle(*queue, Look::at_the_complete);
  });
}

void Recorder::settle_all() noexcept {
  carefully([&] {
    std::vector<Queue*> busy;
    std::unique_lock guard(lock_);
    for (auto& [handle, queue] : queues_)
      if (!queue.pending.empty()) busy.push_back(&queue);
    const Look look = leaving_ ? Look::at_all : Look::at_the_complete;
    guard.unlock();
    for (Queue* const queue : busy) settle(*queue, look);
  });
}

void Recorder::settle(Queue& queue, Look look) {
  std::deque<Pending> taken;
  std::unique_lock guard(lock_);
  taken.swap(queue.pending);
  const bool in_order = (queue.properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
  const bool leaving = leaving_;
  guard.unlock();
  std::deque<Pending> left;
  std::size_t most = look == Look::at_a_few && in_order ? kAtOnce : taken.size();
  while (!taken.empty() && most-- > 0) {
    const Pending command = taken.front();
    if (write_times(command)) {
      // A driver that is about to leave too is not made to take its objects apart.
      if (!leaving) driver().clReleaseEvent(command.event);
    } else if (in_order && look != Look::at_all) {
      break;
    } else {
      left.push_back(command);
    }
    taken.pop_front();
  }
  // What is left of an order is all there was: it is not copied, however much it is.
  if (left.empty()) left.swap(taken);
  left.insert(left.end(), taken.begin(), taken.end());
  guard.lock();
  left.insert(left.end(), queue.pending.begin(), queue.pending.end());
  queue.pending.swap(left);
  // Without an order all are looked at: seldom enough that each call costs the same, however many are under way.
  queue.look_at = in_order ? kMany : 2 * queue.pending.size() + kMany;
}

void Recorder::leave() noexcept {
  {
    const std::lock_guard guard(lock_);
    if (std::exchange(leaving_, true)) return;
  }
  settle_all();
  journal().ended();
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
