// Functions of extensions, which a program asks its driver for by name: it gets the layer's where there is one, and the
// others are named in the record.
#include <algorithm>

#include "layer/command.hpp"
#include "layer/queue_functions.hpp"
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

template <Kind Of>
constexpr auto kPipe = [](auto, cl_program, const char*, cl_bool blocking, const void*, size_t size, auto...) {
  return RecordedCall{.kind = Of, .bytes = size, .blocking = blocking != 0};
};

template <Kind Of>
constexpr auto kVariable = [](auto, cl_program, const char*, cl_bool blocking, size_t size, auto...) {
  return RecordedCall{.kind = Of, .bytes = size, .blocking = blocking != 0};
};

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
      recorded<&read_pipe_beneath>("clEnqueueReadHostPipeINTEL", kPipe<Kind::read_host_pipe>),
      recorded<&write_pipe_beneath>("clEnqueueWriteHostPipeINTEL", kPipe<Kind::write_host_pipe>),
      recorded<&read_variable_beneath>("clEnqueueReadGlobalVariableINTEL", kVariable<Kind::read_global_variable>),
      recorded<&write_variable_beneath>("clEnqueueWriteGlobalVariableINTEL", kVariable<Kind::write_global_variable>),
      recorded<&acquire_beneath>("clEnqueueAcquireExternalMemObjectsKHR", kOnly<Kind::acquire_external>),
      recorded<&release_beneath>("clEnqueueReleaseExternalMemObjectsKHR", kOnly<Kind::release_external>),
      recorded<&wait_beneath>("clEnqueueWaitSemaphoresKHR", kOnly<Kind::wait_semaphores>),
      recorded<&signal_beneath>("clEnqueueSignalSemaphoresKHR", kOnly<Kind::signal_semaphores>),
      recorded<&il_beneath, Creation>("clCreateProgramWithILKHR", kOnly<Kind::create_with_il>),
      Wrapped{"clCreateCommandQueueWithPropertiesKHR", &queue_beneath, reinterpret_cast<void*>(create_with_properties)},
  };
  return all;
}

void wrap_extensions(cl_icd_dispatch& table) {
  table.clGetExtensionFunctionAddress = extension;
  table.clGetExtensionFunctionAddressForPlatform = extension_for;
}

}  // namespace isthmus::layer
