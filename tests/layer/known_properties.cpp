#include <cstdio>

#include "layer/opencl_program.hpp"

namespace known {
namespace {

/// What a queue says of itself, asked in every way.
void describe(const std::string& name, cl_command_queue queue) {
  cl_command_queue_properties properties = 0;
  std::size_t size = 0;
  answer(name + " properties result", static_cast<std::uint64_t>(-clGetCommandQueueInfo(
                                          queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, &size)));
  answer(name + " properties", properties);
  answer(name + " properties size", size);
  answer(name + " properties, too little room",
         static_cast<std::uint64_t>(-clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, 1, &properties, nullptr)));
  std::array<cl_queue_properties, 8> list{};
  size = 99;
  answer(name + " list result", static_cast<std::uint64_t>(-clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY,
                                                                                  sizeof list, list.data(), &size)));
  answer(name + " list size", size);
  for (std::size_t at = 0; at < size / sizeof list[0] && at < list.size(); ++at) answer(name + " list", list[at]);
  if (size > 0)
    answer(name + " list, just enough room", static_cast<std::uint64_t>(-clGetCommandQueueInfo(
                                                 queue, CL_QUEUE_PROPERTIES_ARRAY, size, list.data(), nullptr)));
  if (size > 0)
    answer(name + " list, too little room", static_cast<std::uint64_t>(-clGetCommandQueueInfo(
                                                queue, CL_QUEUE_PROPERTIES_ARRAY, size - 1, list.data(), nullptr)));
}

/// What an event of the queue says of its times.
void describe_event(const std::string& name, const Session& session, cl_command_queue queue) {
  cl_mem buffer = session.buffer(64);
  std::array<char, 64> bytes{};
  cl_event event = nullptr;
  check(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, 64, bytes.data(), 0, nullptr, &event), "write");
  say({.what = "write buffer", .bytes = 64});
  check(clFinish(queue), "clFinish");
  say({.what = "finish", .blocking = true});
  cl_ulong time = 0;
  answer(name + " time result", static_cast<std::uint64_t>(-clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END,
                                                                                    sizeof time, &time, nullptr)));
  answer(name + " time told", time != 0 ? 1 : 0);
  answer(name + " unknown time",
         static_cast<std::uint64_t>(-clGetEventProfilingInfo(event, 0, sizeof time, &time, nullptr)));
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
  cl_platform_id platform = nullptr;
  check(clGetDeviceInfo(session.device, CL_DEVICE_PLATFORM, sizeof platform, &platform, nullptr), "platform");
  const auto make = reinterpret_cast<clCreateCommandQueueWithPropertiesKHR_fn>(
      clGetExtensionFunctionAddressForPlatform(platform, "clCreateCommandQueueWithPropertiesKHR"));
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
  answer("impossible queue", static_cast<std::uint64_t>(-result));
  cl_event user = clCreateUserEvent(session.context, &result);
  say({.what = "create user event"});
  cl_ulong time = 0;
  answer("time of a user's event", static_cast<std::uint64_t>(-clGetEventProfilingInfo(user, CL_PROFILING_COMMAND_END,
                                                                                       sizeof time, &time, nullptr)));
  check(clSetUserEventStatus(user, CL_COMPLETE), "clSetUserEventStatus");
  say({.what = "set user event"});
  clReleaseEvent(user);
}

}  // namespace known
