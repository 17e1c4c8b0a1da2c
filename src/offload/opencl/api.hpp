#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

/// OpenCL's C API with owned handles and checked returns.
namespace isthmus::offload::opencl {

struct Release {
  void operator()(cl_context handle) const { clReleaseContext(handle); }
  void operator()(cl_program handle) const { clReleaseProgram(handle); }
  void operator()(cl_kernel handle) const { clReleaseKernel(handle); }
  void operator()(cl_mem handle) const { clReleaseMemObject(handle); }
  void operator()(cl_event handle) const { clReleaseEvent(handle); }
  void operator()(cl_command_queue handle) const { clReleaseCommandQueue(handle); }
};

template <typename T>
using Handle = std::unique_ptr<std::remove_pointer_t<T>, Release>;

/// "CL_OUT_OF_RESOURCES (-5)".
std::string code_name(cl_int code);

/// Throws Error "CALL on 'DEVICE': CODE" unless `code` is CL_SUCCESS.
void check(cl_int code, const char* call, const std::string& device);

/// A device's property that is text, without blanks at its ends.
std::string text(cl_device_id device, cl_device_info property);
std::string text(cl_platform_id platform, cl_platform_info property);

/// A device's property that is a number of type T.
template <typename T>
T number(cl_device_id device, cl_device_info property) {
  T value = 0;
  check(clGetDeviceInfo(device, property, sizeof value, &value, nullptr), "clGetDeviceInfo", "an OpenCL device");
  return value;
}

/// "cpu", "gpu", "accelerator" or "other".
std::string type_name(cl_device_type type);

/// The line of a build log that a person looks for: the first that speaks of an error, else the first with text.
std::string first_complaint(const std::string& log);

/// The device a target names: "opencl:N" or "opencl:NAME"; throws Error if there is none.
cl_device_id find_device(const std::string& target);

/// Every device of every platform, those of PoCL first; throws Error if there is none.
std::vector<cl_device_id> all_devices();

}  // namespace isthmus::offload::opencl
