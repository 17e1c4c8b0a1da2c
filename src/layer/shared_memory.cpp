// Shared virtual memory: taken and given back, as an argument, and its copies, fills and moves.
#include <numeric>

#include "layer/recorder.hpp"
#include "layer/wrappers.hpp"

namespace isthmus::layer {
namespace {

using FreeFunction = void(CL_CALLBACK*)(cl_command_queue queue, cl_uint count, void* pointers[], void* data);

cl_int CL_API_CALL copy(cl_command_queue queue, cl_bool blocking, void* to, const void* from, size_t size,
                        cl_uint waits, const cl_event* wait, cl_event* event) {
  const Call call{.kind = Kind::svm_copy, .queue = queue, .bytes = size, .blocking = blocking != 0, .waits = waits};
  return enqueue(call, event, [&](cl_event* out) {
    return driver().clEnqueueSVMMemcpy(queue, blocking, to, from, size, waits, wait, out);
  });
}

cl_int CL_API_CALL fill(cl_command_queue queue, void* to, const void* pattern, size_t pattern_size, size_t size,
                        cl_uint waits, const cl_event* wait, cl_event* event) {
  const Call call{.kind = Kind::svm_fill, .queue = queue, .bytes = size, .waits = waits};
  return enqueue(call, event, [&](cl_event* out) {
    return driver().clEnqueueSVMMemFill(queue, to, pattern, pattern_size, size, waits, wait, out);
  });
}

cl_int CL_API_CALL migrate(cl_command_queue queue, cl_uint count, const void** places, const size_t* sizes,
                           cl_mem_migration_flags flags, cl_uint waits, const cl_event* wait, cl_event* event) {
  const std::uint64_t bytes = sizes == nullptr ? 0 : std::accumulate(sizes, sizes + count, std::uint64_t{0});
  const Call call{.kind = Kind::svm_migrate, .queue = queue, .bytes = bytes, .waits = waits};
  return enqueue(call, event, [&](cl_event* out) {
    return driver().clEnqueueSVMMigrateMem(queue, count, places, sizes, flags, waits, wait, out);
  });
}

cl_int CL_API_CALL free(cl_command_queue queue, cl_uint count, void* pointers[], FreeFunction function, void* data,
                        cl_uint waits, const cl_event* wait, cl_event* event) {
  const Call call{.kind = Kind::svm_free, .queue = queue, .waits = waits};
  return enqueue(call, event, [&](cl_event* out) {
    return driver().clEnqueueSVMFree(queue, count, pointers, function, data, waits, wait, out);
  });
}

void* CL_API_CALL allocate(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment) {
  return allocated({.kind = Kind::svm_allocate, .bytes = size}, nullptr,
                   [&](cl_int*) { return driver().clSVMAlloc(context, flags, size, alignment); });
}

void CL_API_CALL release(cl_context context, void* place) {
  host_call({.kind = Kind::svm_release}, [&] {
    driver().clSVMFree(context, place);
    return CL_SUCCESS;
  });
}

cl_int CL_API_CALL argument(cl_kernel kernel, cl_uint number, const void* place) {
  return host_call({.kind = Kind::svm_argument},
                   [&] { return driver().clSetKernelArgSVMPointer(kernel, number, place); });
}

cl_int CL_API_CALL execution(cl_kernel kernel, cl_kernel_exec_info name, size_t size, const void* value) {
  const auto run = [&] { return driver().clSetKernelExecInfo(kernel, name, size, value); };
  return name == CL_KERNEL_EXEC_INFO_SVM_PTRS ? host_call({.kind = Kind::svm_pointers}, run) : run();
}

}  // namespace

void wrap_shared_memory(cl_icd_dispatch& table) {
  table.clEnqueueSVMMemcpy = copy;
  table.clEnqueueSVMMemFill = fill;
  table.clEnqueueSVMMigrateMem = migrate;
  table.clEnqueueSVMFree = free;
  table.clSVMAlloc = allocate;
  table.clSVMFree = release;
  table.clSetKernelArgSVMPointer = argument;
  table.clSetKernelExecInfo = execution;
}

}  // namespace isthmus::layer
