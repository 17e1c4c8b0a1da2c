// Launches, and which kernel a handle is of.
#include <array>

#include "layer/recorder.hpp"
#include "layer/wrappers.hpp"

namespace isthmus::layer {
namespace {

using NativeFunction = void(CL_CALLBACK*)(void*);

constexpr std::array<size_t, 1> kOne{1};

cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* offset,
                          const size_t* global, const size_t* local, cl_uint waits, const cl_event* wait,
                          cl_event* event) {
  const Call call{.kind = Kind::kernel,
                  .queue = queue,
                  .kernel = kernel,
                  .dimensions = dimensions,
                  .global = global,
                  .local = local,
                  .waits = waits};
  return enqueue(call, event, [&](cl_event* out) {
    return driver().clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, waits, wait, out);
  });
}

cl_int CL_API_CALL task(cl_command_queue queue, cl_kernel kernel, cl_uint waits, const cl_event* wait,
                        cl_event* event) {
  const Call call{.kind = Kind::task,
                  .queue = queue,
                  .kernel = kernel,
                  .dimensions = 1,
                  .global = kOne.data(),
                  .local = kOne.data(),
                  .waits = waits};
  return enqueue(call, event, [&](cl_event* out) { return driver().clEnqueueTask(queue, kernel, waits, wait, out); });
}

cl_int CL_API_CALL native(cl_command_queue queue, NativeFunction function, void* arguments, size_t size,
                          cl_uint objects, const cl_mem* list, const void** places, cl_uint waits, const cl_event* wait,
                          cl_event* event) {
  const Call call{.kind = Kind::native_kernel, .queue = queue, .waits = waits};
  return enqueue(call, event, [&](cl_event* out) {
    return driver().clEnqueueNativeKernel(queue, function, arguments, size, objects, list, places, waits, wait, out);
  });
}

cl_kernel CL_API_CALL create(cl_program program, const char* name, cl_int* error) {
  const cl_kernel kernel = driver().clCreateKernel(program, name, error);
  recorder().kernel_made(kernel);
  return kernel;
}

cl_int CL_API_CALL create_all(cl_program program, cl_uint count, cl_kernel* kernels, cl_uint* made) {
  cl_uint known = 0;
  const cl_int result = driver().clCreateKernelsInProgram(program, count, kernels, &known);
  if (made != nullptr) *made = known;
  for (cl_uint at = 0; result == CL_SUCCESS && kernels != nullptr && at < known; ++at)
    recorder().kernel_made(kernels[at]);
  return result;
}

cl_kernel CL_API_CALL clone(cl_kernel kernel, cl_int* error) {
  const cl_kernel made = driver().clCloneKernel(kernel, error);
  recorder().kernel_made(made);
  return made;
}

}  // namespace

void wrap_kernels(cl_icd_dispatch& table) {
  table.clEnqueueNDRangeKernel = launch;
  table.clEnqueueTask = task;
  table.clEnqueueNativeKernel = native;
  table.clCreateKernel = create;
  table.clCreateKernelsInProgram = create_all;
  table.clCloneKernel = clone;
}

}  // namespace isthmus::layer
