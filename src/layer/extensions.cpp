// Functions of extensions, which a program asks its driver for by name: it gets the layer's where there is one, and the
// others are named in the record.
#include <algorithm>

#include "layer/extension_functions.hpp"
#include "layer/queue_functions.hpp"
#include "layer/recorder.hpp"
#include "layer/wrappers.hpp"

namespace isthmus::layer {
namespace {

// cl_intel_program_scope_host_pipe and cl_intel_global_variable, which no header of Khronos's declares.
using ReadHostPipe = cl_int(CL_API_CALL*)(cl_command_queue queue, cl_program program, const char* pipe,
                                          cl_bool blocking, void* to, size_t size, cl_uint waits, const cl_event* wait,
                                          cl_event* event);
using WriteHostPipe = cl_int(CL_API_CALL*)(cl_command_queue queue, cl_program program, const char* pipe,
                                           cl_bool blocking, const void* from, size_t size, cl_uint waits,
                                           const cl_event* wait, cl_event* event);
using ReadVariable = cl_int(CL_API_CALL*)(cl_command_queue queue, cl_program program, const char* name,
                                          cl_bool blocking, size_t size, size_t offset, void* to, cl_uint waits,
                                          const cl_event* wait, cl_event* event);
using WriteVariable = cl_int(CL_API_CALL*)(cl_command_queue queue, cl_program program, const char* name,
                                           cl_bool blocking, size_t size, size_t offset, const void* from,
                                           cl_uint waits, const cl_event* wait, cl_event* event);

FunctionBeneath<ReadHostPipe> read_pipe_beneath;
FunctionBeneath<WriteHostPipe> write_pipe_beneath;
FunctionBeneath<ReadVariable> read_variable_beneath;
FunctionBeneath<WriteVariable> write_variable_beneath;
FunctionBeneath<clEnqueueAcquireExternalMemObjectsKHR_fn> acquire_beneath;
FunctionBeneath<clEnqueueReleaseExternalMemObjectsKHR_fn> release_beneath;
FunctionBeneath<clEnqueueWaitSemaphoresKHR_fn> wait_beneath;
FunctionBeneath<clEnqueueSignalSemaphoresKHR_fn> signal_beneath;
FunctionBeneath<clCreateProgramWithILKHR_fn> il_beneath;
FunctionBeneath<CreateQueue> queue_beneath;

cl_int CL_API_CALL read_pipe(cl_command_queue queue, cl_program program, const char* pipe, cl_bool blocking, void* to,
                             size_t size, cl_uint waits, const cl_event* wait, cl_event* event) {
  const Call call{
      .kind = Kind::read_host_pipe, .queue = queue, .bytes = size, .blocking = blocking != 0, .waits = waits};
  return enqueue(call, event, [&](cl_event* out) {
    return read_pipe_beneath.of_platform_of(queue)(queue, program, pipe, blocking, to, size, waits, wait, out);
  });
}

cl_int CL_API_CALL write_pipe(cl_command_queue queue, cl_program program, const char* pipe, cl_bool blocking,
                              const void* from, size_t size, cl_uint waits, const cl_event* wait, cl_event* event) {
  const Call call{
      .kind = Kind::write_host_pipe, .queue = queue, .bytes = size, .blocking = blocking != 0, .waits = waits};
  return enqueue(call, event, [&](cl_event* out) {
    return write_pipe_beneath.of_platform_of(queue)(queue, program, pipe, blocking, from, size, waits, wait, out);
  });
}

cl_int CL_API_CALL read_variable(cl_command_queue queue, cl_program program, const char* name, cl_bool blocking,
                                 size_t size, size_t offset, void* to, cl_uint waits, const cl_event* wait,
                                 cl_event* event) {
  const Call call{
      .kind = Kind::read_global_variable, .queue = queue, .bytes = size, .blocking = blocking != 0, .waits = waits};
  return enqueue(call, event, [&](cl_event* out) {
    const auto read = read_variable_beneath.of_platform_of(queue);
    return read(queue, program, name, blocking, size, offset, to, waits, wait, out);
  });
}

cl_int CL_API_CALL write_variable(cl_command_queue queue, cl_program program, const char* name, cl_bool blocking,
                                  size_t size, size_t offset, const void* from, cl_uint waits, const cl_event* wait,
                                  cl_event* event) {
  const Call call{
      .kind = Kind::write_global_variable, .queue = queue, .bytes = size, .blocking = blocking != 0, .waits = waits};
  return enqueue(call, event, [&](cl_event* out) {
    const auto write = write_variable_beneath.of_platform_of(queue);
    return write(queue, program, name, blocking, size, offset, from, waits, wait, out);
  });
}

cl_int CL_API_CALL acquire(cl_command_queue queue, cl_uint count, const cl_mem* objects, cl_uint waits,
                           const cl_event* wait, cl_event* event) {
  return enqueue({.kind = Kind::acquire_external, .queue = queue, .waits = waits}, event, [&](cl_event* out) {
    return acquire_beneath.of_platform_of(queue)(queue, count, objects, waits, wait, out);
  });
}

cl_int CL_API_CALL release(cl_command_queue queue, cl_uint count, const cl_mem* objects, cl_uint waits,
                           const cl_event* wait, cl_event* event) {
  return enqueue({.kind = Kind::release_external, .queue = queue, .waits = waits}, event, [&](cl_event* out) {
    return release_beneath.of_platform_of(queue)(queue, count, objects, waits, wait, out);
  });
}

cl_int CL_API_CALL wait_semaphores(cl_command_queue queue, cl_uint count, const cl_semaphore_khr* semaphores,
                                   const cl_semaphore_payload_khr* payloads, cl_uint waits, const cl_event* wait,
                                   cl_event* event) {
  return enqueue({.kind = Kind::wait_semaphores, .queue = queue, .waits = waits}, event, [&](cl_event* out) {
    return wait_beneath.of_platform_of(queue)(queue, count, semaphores, payloads, waits, wait, out);
  });
}

cl_int CL_API_CALL signal_semaphores(cl_command_queue queue, cl_uint count, const cl_semaphore_khr* semaphores,
                                     const cl_semaphore_payload_khr* payloads, cl_uint waits, const cl_event* wait,
                                     cl_event* event) {
  return enqueue({.kind = Kind::signal_semaphores, .queue = queue, .waits = waits}, event, [&](cl_event* out) {
    return signal_beneath.of_platform_of(queue)(queue, count, semaphores, payloads, waits, wait, out);
  });
}

cl_program CL_API_CALL with_il(cl_context context, const void* code, size_t length, cl_int* error) {
  return create(Kind::create_with_il, error,
                [&](cl_int* failure) { return il_beneath.of_platform_of(context)(context, code, length, failure); });
}

cl_command_queue CL_API_CALL create_with_properties(cl_context context, cl_device_id device,
                                                    const cl_queue_properties* properties, cl_int* error) {
  return create_queue(queue_beneath.of_platform_of(context), context, device, properties, error);
}

/// What the program gets for a function that its driver has.
void* in_place_of(const char* name, cl_platform_id platform, void* function) {
  if (function == nullptr) return nullptr;
  for (const auto& functions : {unified_memory_functions(), command_buffer_functions(), other_functions()}) {
    const auto found = std::ranges::find(functions, std::string_view(name), &Wrapped::name);
    if (found != functions.end() && found->beneath->learn(platform, function)) return found->function;
  }
  recorder().extension(name);
  return function;
}

void* CL_API_CALL extension(const char* name) {
  return in_place_of(name, nullptr, driver().clGetExtensionFunctionAddress(name));
}

void* CL_API_CALL extension_for(cl_platform_id platform, const char* name) {
  return in_place_of(name, platform, driver().clGetExtensionFunctionAddressForPlatform(platform, name));
}

}  // namespace

std::span<const Wrapped> other_functions() {
  static const std::array all{
      Wrapped{"clEnqueueReadHostPipeINTEL", &read_pipe_beneath, reinterpret_cast<void*>(read_pipe)},
      Wrapped{"clEnqueueWriteHostPipeINTEL", &write_pipe_beneath, reinterpret_cast<void*>(write_pipe)},
      Wrapped{"clEnqueueReadGlobalVariableINTEL", &read_variable_beneath, reinterpret_cast<void*>(read_variable)},
      Wrapped{"clEnqueueWriteGlobalVariableINTEL", &write_variable_beneath, reinterpret_cast<void*>(write_variable)},
      Wrapped{"clEnqueueAcquireExternalMemObjectsKHR", &acquire_beneath, reinterpret_cast<void*>(acquire)},
      Wrapped{"clEnqueueReleaseExternalMemObjectsKHR", &release_beneath, reinterpret_cast<void*>(release)},
      Wrapped{"clEnqueueWaitSemaphoresKHR", &wait_beneath, reinterpret_cast<void*>(wait_semaphores)},
      Wrapped{"clEnqueueSignalSemaphoresKHR", &signal_beneath, reinterpret_cast<void*>(signal_semaphores)},
      Wrapped{"clCreateProgramWithILKHR", &il_beneath, reinterpret_cast<void*>(with_il)},
      Wrapped{"clCreateCommandQueueWithPropertiesKHR", &queue_beneath, reinterpret_cast<void*>(create_with_properties)},
  };
  return all;
}

void wrap_extensions(cl_icd_dispatch& table) {
  table.clGetExtensionFunctionAddress = extension;
  table.clGetExtensionFunctionAddressForPlatform = extension_for;
}

}  // namespace isthmus::layer
