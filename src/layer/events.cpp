// Events of a queue give the program no times if it did not ask for them; one that it sees complete is looked at here
// too. A program that waits without a wait, by asking again and again or by a callback, is seen to wait.
#include <atomic>
#include <memory>
#include <new>

#include "layer/command.hpp"
#include "layer/information.hpp"
#include "layer/wrappers.hpp"

namespace isthmus::layer {
namespace {

using Notify = void(CL_CALLBACK*)(cl_event event, cl_int status, void* data);

cl_command_queue queue_of(cl_event event) {
  return information<cl_command_queue>(driver().clGetEventInfo, event, CL_EVENT_COMMAND_QUEUE, nullptr);
}

cl_int CL_API_CALL profile(cl_event event, cl_profiling_info name, size_t room, void* place, size_t* needed) {
  const cl_command_queue queue = queue_of(event);
  if (queue != nullptr && recorder().queue(queue).forced) return CL_PROFILING_INFO_NOT_AVAILABLE;
  return driver().clGetEventProfilingInfo(event, name, room, place, needed);
}

cl_int CL_API_CALL inform(cl_event event, cl_event_info name, size_t room, void* place, size_t* needed) {
  if (name != CL_EVENT_COMMAND_EXECUTION_STATUS || place == nullptr)
    return driver().clGetEventInfo(event, name, room, place, needed);
  this_thread().calls.fetch_add(1, std::memory_order_relaxed);
  const std::uint64_t begin = now();
  const cl_int result = driver().clGetEventInfo(event, name, room, place, needed);
  if (result != CL_SUCCESS) return result;
  const bool complete = *static_cast<const cl_int*>(place) <= CL_COMPLETE;
  recorder().polled(begin, now(), complete);
  if (complete) recorder().look_at_the_complete(queue_of(event));
  return result;
}

/// A callback of the program's. The thread that set it waits for it if it begins no other call than flushes until then.
struct Notice {
  Notify notify;
  void* data;
  const Thread* thread;
  std::uint32_t number;
  std::uint64_t calls;
};

void CL_CALLBACK notified(cl_event event, cl_int status, void* data) {
  const std::unique_ptr<Notice> notice(static_cast<Notice*>(data));
  const std::uint64_t since = notice->thread->idle.load(std::memory_order_acquire);
  const std::uint64_t end = now();
  if (since < end && notice->thread->calls.load(std::memory_order_relaxed) == notice->calls)
    recorder().waited(Kind::wait_for_callback, notice->number, since, end);
  if (status <= CL_COMPLETE) recorder().look_at_the_complete(queue_of(event));
  notice->notify(event, status, notice->data);
}

std::unique_ptr<Notice> notice_of(Notify notify, void* data) {
  const Thread& thread = this_thread();
  // The call that sets the notice counts, too.
  return std::make_unique<Notice>(Notice{.notify = notify,
                                         .data = data,
                                         .thread = &thread,
                                         .number = thread.number,
                                         .calls = thread.calls.load(std::memory_order_relaxed) + 1});
}

cl_int CL_API_CALL set_callback(cl_event event, cl_int type, Notify notify, void* data) {
  const RecordedCall call{.kind = Kind::set_event_callback};
  if (notify == nullptr) return host_call(call, [&] { return driver().clSetEventCallback(event, type, notify, data); });
  try {
    std::unique_ptr<Notice> given = notice_of(notify, data);
    const cl_int result =
        host_call(call, [&] { return driver().clSetEventCallback(event, type, notified, given.get()); });
    if (result == CL_SUCCESS) static_cast<void>(given.release());
    return result;
  } catch (const std::bad_alloc&) {
    return driver().clSetEventCallback(event, type, notify, data);
  }
}

}  // namespace

void wrap_events(cl_icd_dispatch& table) {
  table.clGetEventProfilingInfo = profile;
  table.clGetEventInfo = inform;
  table.clSetEventCallback = set_callback;
  record<&cl_icd_dispatch::clCreateUserEvent, Creation>(table, kOnly<Kind::create_user_event>);
  record<&cl_icd_dispatch::clSetUserEventStatus, HostCall>(table, kOnly<Kind::set_user_event>);
}

}  // namespace isthmus::layer
