// Shared virtual memory: taken and given back, as an argument, and its copies, fills and moves.
#include <numeric>

#include "layer/command.hpp"
#include "layer/wrappers.hpp"

namespace isthmus::layer {
namespace {

constexpr auto kCopy = [](auto, cl_bool blocking, void* /*to*/, const void* /*from*/, size_t size, auto...) {
  return RecordedCall{.kind = Kind::svm_copy, .bytes = size, .blocking = blocking != 0};
};

constexpr auto kFill = [](auto, void* /*to*/, const void* /*pattern*/, size_t, size_t size, auto...) {
  return RecordedCall{.kind = Kind::svm_fill, .bytes = size};
};

constexpr auto kMigration = [](auto, cl_uint count, const void**, const size_t* sizes, auto...) {
  const std::uint64_t bytes = sizes == nullptr ? 0 : std::accumulate(sizes, sizes + count, std::uint64_t{0});
  return RecordedCall{.kind = Kind::svm_migrate, .bytes = bytes};
};

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

cl_int CL_API_CALL execution(cl_kernel kernel, cl_kernel_exec_info name, size_t size, const void* value) {
  const auto run = [&] { return driver().clSetKernelExecInfo(kernel, name, size, value); };
  return name == CL_KERNEL_EXEC_INFO_SVM_PTRS ? host_call({.kind = Kind::svm_pointers}, run) : run();
}

}  // namespace

void wrap_shared_memory(cl_icd_dispatch& table) {
  record<&cl_icd_dispatch::clEnqueueSVMMemcpy>(table, kCopy);
  record<&cl_icd_dispatch::clEnqueueSVMMemFill>(table, kFill);
  record<&cl_icd_dispatch::clEnqueueSVMMigrateMem>(table, kMigration);
  record<&cl_icd_dispatch::clEnqueueSVMFree>(table, kOnly<Kind::svm_free>);
  table.clSVMAlloc = allocate;
  table.clSVMFree = release;
  record<&cl_icd_dispatch::clSetKernelArgSVMPointer, HostCall>(table, kOnly<Kind::svm_argument>);
  table.clSetKernelExecInfo = execution;
}

}  // namespace isthmus::layer
