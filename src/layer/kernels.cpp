// Launches, and which kernel a handle is of.
#include <array>

#include "layer/command.hpp"
#include "layer/wrappers.hpp"

namespace isthmus::layer {
namespace {

constexpr std::array<size_t, 1> kOne{1};

constexpr auto kLaunch = [](auto, cl_kernel kernel, cl_uint dimensions, auto, const size_t* global, const size_t* local,
                            auto...) {
  return RecordedCall{
      .kind = Kind::kernel, .kernel = kernel, .dimensions = dimensions, .global = global, .local = local};
};

constexpr auto kTask = [](auto, cl_kernel kernel, auto...) {
  return RecordedCall{
      .kind = Kind::task, .kernel = kernel, .dimensions = 1, .global = kOne.data(), .local = kOne.data()};
};

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
  record<&cl_icd_dispatch::clEnqueueNDRangeKernel>(table, kLaunch);
  record<&cl_icd_dispatch::clEnqueueTask>(table, kTask);
  record<&cl_icd_dispatch::clEnqueueNativeKernel>(table, kOnly<Kind::native_kernel>);
  table.clCreateKernel = create;
  table.clCreateKernelsInProgram = create_all;
  table.clCloneKernel = clone;
}

}  // namespace isthmus::layer
