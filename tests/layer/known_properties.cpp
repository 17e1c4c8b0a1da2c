#include "layer/opencl_program.hpp"

namespace known {
namespace {

/// What a queue says of itself, asked in every way.
void describe(const std::string& name, cl_command_queue queue) {
  cl_command_queue_properties properties = 0;
  std::size_t size = 0;
  answer_error(name + " properties result",
               clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, &size));
  answer(name + " properties", properties);
  answer(name + " properties size", size);
  answer_error(name + " properties, too little room",
               clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, 1, &properties, nullptr));
  std::array<cl_queue_properties, 8> list{};
  size = 99;
  answer_error(name + " list result",
               clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof list, list.data(), &size));
  answer(name + " list size", size);
  for (std::size_t at = 0; at < size / sizeof list[0] && at < list.size(); ++at) answer(name + " list", list[at]);
  if (size > 0)
    answer_error(name + " list, just enough room",
                 clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, size, list.data(), nullptr));
  if (size > 0)
    answer_error(name + " list, too little room",
                 clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, size - 1, list.data(), nullptr));
}

/// What an event of the queue says of its times.
void describe_event(const std::string& name, const Session& session, cl_command_queue queue) {
  cl_mem buffer = session.buffer(64);
  std::array<char, 64> bytes{};
  cl_event event = nullptr;
  done(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, 64, bytes.data(), 0, nullptr, &event),
       {.what = "write buffer", .bytes = 64});
  finish(queue);
  cl_ulong time = 0;
  answer_error(name + " time result",
               clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, nullptr));
  answer(name + " time told", time != 0 ? 1 : 0);
  answer_error(name + " unknown time", clGetEventProfilingInfo(event, 0, sizeof time, &time, nullptr));
  clReleaseEvent(event);
  clReleaseMemObject(buffer);
}

void describe_both(const std::string& name, const Session& session, cl_command_queue queue) {
  describe(name, queue);
  describe_event(name, session, queue);
  clReleaseCommandQueue(queue);
}

cl_command_queue made_by_list(const Session& session, const cl_queue_properties* list) {
  cl_int result = CL_SUCCESS;
  cl_command_queue queue = clCreateCommandQueueWithProperties(session.context, session.device, list, &result);
  check(result, "clCreateCommandQueueWithProperties");
  return queue;
}

/// A queue by the function of cl_khr_create_command_queue, where the driver has it.
void describe_made_by_extension(const Session& session) {
  const auto make = reinterpret_cast<clCreateCommandQueueWithPropertiesKHR_fn>(
      session.extension("clCreateCommandQueueWithPropertiesKHR"));
  answer("queues by an extension", make != nullptr);
  if (make == nullptr) return;
  const std::array<cl_queue_properties_khr, 3> free{CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  cl_int result = CL_SUCCESS;
  cl_command_queue queue = make(session.context, session.device, free.data(), &result);
  check(result, "clCreateCommandQueueWithPropertiesKHR");
  describe_both("by an extension", session, queue);
}

}  // namespace

void show_properties(const Session& session) {
  constexpr cl_command_queue_properties kProfiling = CL_QUEUE_PROFILING_ENABLE;
  constexpr cl_command_queue_properties kFree = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
  describe_both("plain", session, session.queue_with(0));
  describe_both("profiling", session, session.queue_with(kProfiling));
  describe_both("out of order", session, session.queue_with(kFree));
  const std::array<cl_queue_properties, 1> empty{0};
  const std::array<cl_queue_properties, 3> none{CL_QUEUE_PROPERTIES, 0, 0};
  const std::array<cl_queue_properties, 3> free{CL_QUEUE_PROPERTIES, kFree, 0};
  const std::array<cl_queue_properties, 3> both{CL_QUEUE_PROPERTIES, kFree | kProfiling, 0};
  describe_both("no list", session, made_by_list(session, nullptr));
  describe_both("empty list", session, made_by_list(session, empty.data()));
  describe_both("list of none", session, made_by_list(session, none.data()));
  describe_both("list out of order", session, made_by_list(session, free.data()));
  describe_both("list of both", session, made_by_list(session, both.data()));
  describe_made_by_extension(session);
  cl_int result = CL_SUCCESS;
  answer("impossible queue made",
         clCreateCommandQueue(session.context, session.device, ~cl_command_queue_properties{0}, &result) != nullptr);
  answer_error("impossible queue", result);
  cl_event user = make_gate(session);
  cl_ulong time = 0;
  answer_error("time of a user's event",
               clGetEventProfilingInfo(user, CL_PROFILING_COMMAND_END, sizeof time, &time, nullptr));
  done(clSetUserEventStatus(user, CL_COMPLETE), {.what = "set user event"});
  clReleaseEvent(user);
}

}  // namespace known
