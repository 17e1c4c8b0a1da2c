// cl_intel_unified_shared_memory: taken and given back, as an argument, and its copies, fills and moves.
#include "layer/extension_functions.hpp"
#include "layer/recorder.hpp"

namespace isthmus::layer {
namespace {

FunctionBeneath<clHostMemAllocINTEL_fn> host_beneath;
FunctionBeneath<clDeviceMemAllocINTEL_fn> device_beneath;
FunctionBeneath<clSharedMemAllocINTEL_fn> shared_beneath;
FunctionBeneath<clMemFreeINTEL_fn> free_beneath;
FunctionBeneath<clMemBlockingFreeINTEL_fn> blocking_free_beneath;
FunctionBeneath<clSetKernelArgMemPointerINTEL_fn> argument_beneath;
FunctionBeneath<clEnqueueMemcpyINTEL_fn> copy_beneath;
FunctionBeneath<clEnqueueMemFillINTEL_fn> fill_beneath;
FunctionBeneath<clEnqueueMemsetINTEL_fn> set_beneath;
FunctionBeneath<clEnqueueMigrateMemINTEL_fn> migrate_beneath;
FunctionBeneath<clEnqueueMemAdviseINTEL_fn> advise_beneath;

void* CL_API_CALL allocate_on_host(cl_context context, const cl_mem_properties_intel* properties, size_t size,
                                   cl_uint alignment, cl_int* error) {
  return allocated({.kind = Kind::usm_allocate, .bytes = size}, error, [&](cl_int* failure) {
    return host_beneath.of_platform_of(context)(context, properties, size, alignment, failure);
  });
}

void* CL_API_CALL allocate_on_device(cl_context context, cl_device_id device, const cl_mem_properties_intel* properties,
                                     size_t size, cl_uint alignment, cl_int* error) {
  return allocated({.kind = Kind::usm_allocate, .bytes = size}, error, [&](cl_int* failure) {
    return device_beneath.of_platform_of(context)(context, device, properties, size, alignment, failure);
  });
}

void* CL_API_CALL allocate_shared(cl_context context, cl_device_id device, const cl_mem_properties_intel* properties,
                                  size_t size, cl_uint alignment, cl_int* error) {
  return allocated({.kind = Kind::usm_allocate, .bytes = size}, error, [&](cl_int* failure) {
    return shared_beneath.of_platform_of(context)(context, device, properties, size, alignment, failure);
  });
}

cl_int CL_API_CALL free(cl_context context, void* place) {
  return host_call({.kind = Kind::usm_release}, [&] { return free_beneath.of_platform_of(context)(context, place); });
}

// It waits for what is under way.
cl_int CL_API_CALL blocking_free(cl_context context, void* place) {
  return host_call({.kind = Kind::usm_release, .blocking = true},
                   [&] { return blocking_free_beneath.of_platform_of(context)(context, place); });
}

cl_int CL_API_CALL argument(cl_kernel kernel, cl_uint number, const void* place) {
  return host_call({.kind = Kind::usm_argument},
                   [&] { return argument_beneath.of_platform_of(kernel)(kernel, number, place); });
}

cl_int CL_API_CALL copy(cl_command_queue queue, cl_bool blocking, void* to, const void* from, size_t size,
                        cl_uint waits, const cl_event* wait, cl_event* event) {
  const Call call{.kind = Kind::usm_copy, .queue = queue, .bytes = size, .blocking = blocking != 0, .waits = waits};
  return enqueue(call, event, [&](cl_event* out) {
    return copy_beneath.of_platform_of(queue)(queue, blocking, to, from, size, waits, wait, out);
  });
}

cl_int CL_API_CALL fill(cl_command_queue queue, void* to, const void* pattern, size_t pattern_size, size_t size,
                        cl_uint waits, const cl_event* wait, cl_event* event) {
  const Call call{.kind = Kind::usm_fill, .queue = queue, .bytes = size, .waits = waits};
  return enqueue(call, event, [&](cl_event* out) {
    return fill_beneath.of_platform_of(queue)(queue, to, pattern, pattern_size, size, waits, wait, out);
  });
}

cl_int CL_API_CALL set(cl_command_queue queue, void* to, cl_int value, size_t size, cl_uint waits, const cl_event* wait,
                       cl_event* event) {
  const Call call{.kind = Kind::usm_fill, .queue = queue, .bytes = size, .waits = waits};
  return enqueue(call, event, [&](cl_event* out) {
    return set_beneath.of_platform_of(queue)(queue, to, value, size, waits, wait, out);
  });
}

cl_int CL_API_CALL migrate(cl_command_queue queue, const void* place, size_t size, cl_mem_migration_flags flags,
                           cl_uint waits, const cl_event* wait, cl_event* event) {
  const Call call{.kind = Kind::usm_migrate, .queue = queue, .bytes = size, .waits = waits};
  return enqueue(call, event, [&](cl_event* out) {
    return migrate_beneath.of_platform_of(queue)(queue, place, size, flags, waits, wait, out);
  });
}

cl_int CL_API_CALL advise(cl_command_queue queue, const void* place, size_t size, cl_mem_advice_intel advice,
                          cl_uint waits, const cl_event* wait, cl_event* event) {
  const Call call{.kind = Kind::usm_advise, .queue = queue, .waits = waits};
  return enqueue(call, event, [&](cl_event* out) {
    return advise_beneath.of_platform_of(queue)(queue, place, size, advice, waits, wait, out);
  });
}

}  // namespace

std::span<const Wrapped> unified_memory_functions() {
  static const std::array all{
      Wrapped{"clHostMemAllocINTEL", &host_beneath, reinterpret_cast<void*>(allocate_on_host)},
      Wrapped{"clDeviceMemAllocINTEL", &device_beneath, reinterpret_cast<void*>(allocate_on_device)},
      Wrapped{"clSharedMemAllocINTEL", &shared_beneath, reinterpret_cast<void*>(allocate_shared)},
      Wrapped{"clMemFreeINTEL", &free_beneath, reinterpret_cast<void*>(free)},
      Wrapped{"clMemBlockingFreeINTEL", &blocking_free_beneath, reinterpret_cast<void*>(blocking_free)},
      Wrapped{"clSetKernelArgMemPointerINTEL", &argument_beneath, reinterpret_cast<void*>(argument)},
      Wrapped{"clEnqueueMemcpyINTEL", &copy_beneath, reinterpret_cast<void*>(copy)},
      Wrapped{"clEnqueueMemFillINTEL", &fill_beneath, reinterpret_cast<void*>(fill)},
      Wrapped{"clEnqueueMemsetINTEL", &set_beneath, reinterpret_cast<void*>(set)},
      Wrapped{"clEnqueueMigrateMemINTEL", &migrate_beneath, reinterpret_cast<void*>(migrate)},
      Wrapped{"clEnqueueMemAdviseINTEL", &advise_beneath, reinterpret_cast<void*>(advise)},
  };
  return all;
}

}  // namespace isthmus::layer
