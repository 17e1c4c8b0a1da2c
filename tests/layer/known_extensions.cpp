#include <cstring>

#include "layer/opencl_program.hpp"

namespace known {
namespace {

template <class Function>
Function ask(const Session& session, const char* name) {
  return reinterpret_cast<Function>(session.extension(name));
}

bool has(const Session& session, const char* extension) {
  std::string all(1 << 16, '\0');
  check(clGetDeviceInfo(session.device, CL_DEVICE_EXTENSIONS, all.size(), all.data(), nullptr), "extensions");
  return all.find(extension) != std::string::npos;
}

void use_unified_memory(const Session& session) {
  const auto allocate = ask<clSharedMemAllocINTEL_fn>(session, "clSharedMemAllocINTEL");
  const auto release = ask<clMemFreeINTEL_fn>(session, "clMemFreeINTEL");
  const auto fill = ask<clEnqueueMemFillINTEL_fn>(session, "clEnqueueMemFillINTEL");
  const auto copy = ask<clEnqueueMemcpyINTEL_fn>(session, "clEnqueueMemcpyINTEL");
  const auto argument = ask<clSetKernelArgMemPointerINTEL_fn>(session, "clSetKernelArgMemPointerINTEL");
  cl_command_queue queue = session.queue_with(0);
  std::array<void*, 2> places{};
  for (void*& place : places) {
    cl_int result = CL_SUCCESS;
    place = allocate(session.context, session.device, nullptr, 1024, 0, &result);
    done(result, {.what = "allocate USM", .bytes = 1024});
  }
  const std::uint8_t pattern = 3;
  done(fill(queue, places[0], &pattern, 1, 1024, 0, nullptr, nullptr), {.what = "USM fill", .bytes = 1024});
  done(copy(queue, CL_TRUE, places[1], places[0], 512, 0, nullptr, nullptr),
       {.what = "USM copy", .bytes = 512, .blocking = true});
  std::vector<std::uint8_t> bytes(512);
  std::memcpy(bytes.data(), places[1], bytes.size());
  answer("sum of unified memory", sum(bytes));
  cl_kernel add = session.kernel("add");
  done(argument(add, 0, places[0]), {.what = "set USM argument"});
  clReleaseKernel(add);
  for (void* place : places) {
    done(release(session.context, place), {.what = "release USM"});
  }
  clReleaseCommandQueue(queue);
}

void use_command_buffer(const Session& session) {
  const auto create = ask<clCreateCommandBufferKHR_fn>(session, "clCreateCommandBufferKHR");
  const auto finalize = ask<clFinalizeCommandBufferKHR_fn>(session, "clFinalizeCommandBufferKHR");
  const auto record = ask<clCommandNDRangeKernelKHR_fn>(session, "clCommandNDRangeKernelKHR");
  const auto enqueue = ask<clEnqueueCommandBufferKHR_fn>(session, "clEnqueueCommandBufferKHR");
  const auto release = ask<clReleaseCommandBufferKHR_fn>(session, "clReleaseCommandBufferKHR");
  cl_command_queue queue = session.queue_with(0);
  cl_int result = CL_SUCCESS;
  cl_command_buffer_khr buffer = create(1, &queue, nullptr, &result);
  check(result, "clCreateCommandBufferKHR");
  cl_kernel nothing = session.kernel("nothing");
  const std::size_t one = 1;
  check(record(buffer, nullptr, nullptr, nothing, 1, nullptr, &one, &one, 0, nullptr, nullptr, nullptr), "record");
  check(finalize(buffer), "clFinalizeCommandBufferKHR");
  done(enqueue(0, nullptr, buffer, 0, nullptr, nullptr), {.what = "command buffer"});
  finish(queue);
  check(release(buffer), "clReleaseCommandBufferKHR");
  clReleaseKernel(nothing);
  clReleaseCommandQueue(queue);
}

}  // namespace

void use_extensions(const Session& session) {
  if (has(session, "cl_intel_unified_shared_memory")) use_unified_memory(session);
  if (has(session, "cl_khr_command_buffer")) use_command_buffer(session);
}

}  // namespace known
