// cl_intel_unified_shared_memory: taken and given back, as an argument, and its copies, fills and moves.
#include "layer/command.hpp"

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

// It waits for what is under way.
constexpr auto kBlockingFree = [](auto...) { return RecordedCall{.kind = Kind::usm_release, .blocking = true}; };

constexpr auto kCopy = [](auto, cl_bool blocking, void* /*to*/, const void* /*from*/, size_t size, auto...) {
  return RecordedCall{.kind = Kind::usm_copy, .bytes = size, .blocking = blocking != 0};
};

constexpr auto kFill = [](auto, void* /*to*/, const void* /*pattern*/, size_t, size_t size, auto...) {
  return RecordedCall{.kind = Kind::usm_fill, .bytes = size};
};

constexpr auto kSet = [](auto, void* /*to*/, cl_int /*value*/, size_t size, auto...) {
  return RecordedCall{.kind = Kind::usm_fill, .bytes = size};
};

constexpr auto kMigration = [](auto, const void* /*place*/, size_t size, auto...) {
  return RecordedCall{.kind = Kind::usm_migrate, .bytes = size};
};

}  // namespace

std::span<const Wrapped> unified_memory_functions() {
  static const std::array all{
      Wrapped{"clHostMemAllocINTEL", &host_beneath, reinterpret_cast<void*>(allocate_on_host)},
      Wrapped{"clDeviceMemAllocINTEL", &device_beneath, reinterpret_cast<void*>(allocate_on_device)},
      Wrapped{"clSharedMemAllocINTEL", &shared_beneath, reinterpret_cast<void*>(allocate_shared)},
      recorded<&free_beneath, HostCall>("clMemFreeINTEL", kOnly<Kind::usm_release>),
      recorded<&blocking_free_beneath, HostCall>("clMemBlockingFreeINTEL", kBlockingFree),
      recorded<&argument_beneath, HostCall>("clSetKernelArgMemPointerINTEL", kOnly<Kind::usm_argument>),
      recorded<&copy_beneath>("clEnqueueMemcpyINTEL", kCopy),
      recorded<&fill_beneath>("clEnqueueMemFillINTEL", kFill),
      recorded<&set_beneath>("clEnqueueMemsetINTEL", kSet),
      recorded<&migrate_beneath>("clEnqueueMigrateMemINTEL", kMigration),
      recorded<&advise_beneath>("clEnqueueMemAdviseINTEL", kOnly<Kind::usm_advise>),
  };
  return all;
}

}  // namespace isthmus::layer
