// When the driver is asked for the times of commands: where the program waits anyway, or learns that one is complete.
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "layer/carefully.hpp"
#include "layer/information.hpp"
#include "layer/recorder.hpp"

namespace isthmus::layer {
namespace {

// When an in-order queue is beyond its limit, a call asks for the times of two commands: one more than it adds.
constexpr std::size_t kAtOnce = 2;

struct Times {
  cl_ulong queued = 0;
  cl_ulong submit = 0;
  cl_ulong start = 0;
  cl_ulong end = 0;
};

/// Times of a command that is complete. Each question takes NVIDIA's driver 1.4 us, so its state is not asked for too:
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

}  // namespace

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

}  // namespace isthmus::layer
