#include <future>
#include <thread>

#include "layer/opencl_program.hpp"

namespace known {
namespace {

constexpr std::size_t kOne = 1;

void open(cl_event gate) {
  done(clSetUserEventStatus(gate, CL_COMPLETE), {.what = "set user event"});
}

struct Opener {
  cl_event gate;
  std::promise<void> opened;
};

void CL_CALLBACK open_by_callback(cl_event, cl_int, void* data) {
  auto* const opener = static_cast<Opener*>(data);
  open(opener->gate);
  opener->opened.set_value();
}

void CL_CALLBACK tell(cl_event, cl_int, void* promise) {
  static_cast<std::promise<void>*>(promise)->set_value();
}

void set_callback(cl_event event, void(CL_CALLBACK* notify)(cl_event, cl_int, void*), void* data) {
  done(clSetEventCallback(event, CL_COMPLETE, notify, data), {.what = "set event callback"});
}

void launch(const Session& session, cl_command_queue queue, cl_event gate, cl_event* event) {
  cl_kernel nothing = session.kernel("nothing");
  const cl_uint waits = gate != nullptr ? 1 : 0;
  done(clEnqueueNDRangeKernel(queue, nothing, 1, nullptr, &kOne, &kOne, waits, waits != 0 ? &gate : nullptr, event),
       {.what = "kernel", .kernel = "nothing", .global = {1}, .local = {1}});
  clReleaseKernel(nothing);
}

/// Waits for the callback of the event while another thread opens the gate; flushes the queue, if there is one, first.
void wait_by_callback(cl_event event, cl_event gate, cl_command_queue queue = nullptr) {
  std::promise<void> complete;
  std::promise<void> waiting;
  const std::jthread opener([&] {
    waiting.get_future().wait();
    open(gate);
  });
  set_callback(event, tell, &complete);
  if (queue != nullptr) flush(queue);
  waiting.set_value();
  complete.get_future().wait();
  say({.what = "wait for a callback", .blocking = true});
}

/// Asks again and again; another thread opens the gate after the first time.
void wait_by_polling(cl_event event, cl_event gate) {
  std::promise<void> waiting;
  const std::jthread opener([&] {
    waiting.get_future().wait();
    open(gate);
  });
  for (int asked = 0;; ++asked) {
    cl_int status = CL_QUEUED;
    check(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr), "clGetEventInfo");
    if (asked == 0) waiting.set_value();
    if (status <= CL_COMPLETE) break;
  }
  say({.what = "poll events", .blocking = true});
}

}  // namespace

cl_event make_gate(const Session& session) {
  cl_int result = CL_SUCCESS;
  cl_event gate = clCreateUserEvent(session.context, &result);
  done(result, {.what = "create user event"});
  return gate;
}

cl_event launch_three(const Session& session, cl_command_queue queue, cl_event gate) {
  cl_event last = nullptr;
  launch(session, queue, gate, nullptr);
  launch(session, queue, nullptr, nullptr);
  launch(session, queue, nullptr, &last);
  flush(queue);
  return last;
}

void wait_beside_opencl(const Session& session, cl_event event, cl_event gate) {
  cl_command_queue own = session.queue_with(0);
  cl_event marked = nullptr;
  done(clEnqueueMarkerWithWaitList(own, 1, &event, &marked), {.what = "marker"});
  flush(own);
  wait_by_callback(marked, gate);
  clReleaseEvent(marked);
}

void wait_without_a_wait(const Session& session) {
  cl_command_queue queue = session.queue_with(0);
  const auto three = [&](const auto& wait) {
    cl_event gate = make_gate(session);
    cl_event last = launch_three(session, queue, gate);
    wait(last, gate);
    for (cl_event event : {last, gate}) clReleaseEvent(event);
  };
  three(wait_by_polling);
  three([](cl_event last, cl_event gate) { wait_by_callback(last, gate); });
  three([&](cl_event last, cl_event gate) { wait_by_callback(last, gate, queue); });
  clReleaseCommandQueue(queue);
}

void wait_for_the_host(const Session& session) {
  cl_event gate = make_gate(session);
  cl_command_queue queue = session.queue_with(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cl_command_queue other = session.queue_with(0);
  for (int at = 0; at < 200; ++at) launch(session, queue, gate, nullptr);
  flush(queue);
  cl_event first = nullptr;
  launch(session, other, nullptr, &first);
  Opener opener{.gate = gate, .opened = {}};
  set_callback(first, open_by_callback, &opener);
  finish(other);
  finish(queue);
  opener.opened.get_future().wait();
  for (cl_event event : {first, gate}) clReleaseEvent(event);
  for (cl_command_queue one : {queue, other}) clReleaseCommandQueue(one);
}

}  // namespace known
