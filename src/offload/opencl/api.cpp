#include "offload/opencl/api.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "isthmus/base/error.hpp"

namespace isthmus::offload::opencl {
namespace {

#define ISTHMUS_CODE(name) \
  std::pair {              \
    name, #name            \
  }
constexpr std::array kCodes{ISTHMUS_CODE(CL_DEVICE_NOT_FOUND),
                            ISTHMUS_CODE(CL_DEVICE_NOT_AVAILABLE),
                            ISTHMUS_CODE(CL_COMPILER_NOT_AVAILABLE),
                            ISTHMUS_CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE),
                            ISTHMUS_CODE(CL_OUT_OF_RESOURCES),
                            ISTHMUS_CODE(CL_OUT_OF_HOST_MEMORY),
                            ISTHMUS_CODE(CL_PROFILING_INFO_NOT_AVAILABLE),
                            ISTHMUS_CODE(CL_MEM_COPY_OVERLAP),
                            ISTHMUS_CODE(CL_BUILD_PROGRAM_FAILURE),
                            ISTHMUS_CODE(CL_MAP_FAILURE),
                            ISTHMUS_CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
                            ISTHMUS_CODE(CL_COMPILE_PROGRAM_FAILURE),
                            ISTHMUS_CODE(CL_LINKER_NOT_AVAILABLE),
                            ISTHMUS_CODE(CL_LINK_PROGRAM_FAILURE),
                            ISTHMUS_CODE(CL_INVALID_VALUE),
                            ISTHMUS_CODE(CL_INVALID_DEVICE_TYPE),
                            ISTHMUS_CODE(CL_INVALID_PLATFORM),
                            ISTHMUS_CODE(CL_INVALID_DEVICE),
                            ISTHMUS_CODE(CL_INVALID_CONTEXT),
                            ISTHMUS_CODE(CL_INVALID_QUEUE_PROPERTIES),
                            ISTHMUS_CODE(CL_INVALID_COMMAND_QUEUE),
                            ISTHMUS_CODE(CL_INVALID_HOST_PTR),
                            ISTHMUS_CODE(CL_INVALID_MEM_OBJECT),
                            ISTHMUS_CODE(CL_INVALID_BINARY),
                            ISTHMUS_CODE(CL_INVALID_BUILD_OPTIONS),
                            ISTHMUS_CODE(CL_INVALID_PROGRAM),
                            ISTHMUS_CODE(CL_INVALID_PROGRAM_EXECUTABLE),
                            ISTHMUS_CODE(CL_INVALID_KERNEL_NAME),
                            ISTHMUS_CODE(CL_INVALID_KERNEL_DEFINITION),
                            ISTHMUS_CODE(CL_INVALID_KERNEL),
                            ISTHMUS_CODE(CL_INVALID_ARG_INDEX),
                            ISTHMUS_CODE(CL_INVALID_ARG_VALUE),
                            ISTHMUS_CODE(CL_INVALID_ARG_SIZE),
                            ISTHMUS_CODE(CL_INVALID_KERNEL_ARGS),
                            ISTHMUS_CODE(CL_INVALID_WORK_DIMENSION),
                            ISTHMUS_CODE(CL_INVALID_WORK_GROUP_SIZE),
                            ISTHMUS_CODE(CL_INVALID_WORK_ITEM_SIZE),
                            ISTHMUS_CODE(CL_INVALID_EVENT_WAIT_LIST),
                            ISTHMUS_CODE(CL_INVALID_EVENT),
                            ISTHMUS_CODE(CL_INVALID_OPERATION),
                            ISTHMUS_CODE(CL_INVALID_BUFFER_SIZE),
                            ISTHMUS_CODE(CL_INVALID_GLOBAL_WORK_SIZE)};
#undef ISTHMUS_CODE

/// No OpenCL driver is registered with the loader (cl_khr_icd).
constexpr cl_int kPlatformNotFound = -1001;

template <typename Query>
std::string text_of(Query query, const char* call) {
  std::size_t size = 0;
  check(query(0, nullptr, &size), call, "an OpenCL device");
  std::string value(size, '\0');
  check(query(size, value.data(), nullptr), call, "an OpenCL device");
  value.resize(value.find_last_not_of(std::string_view(" \0", 2)) + 1);
  return value.substr(std::min(value.find_first_not_of(' '), value.size()));
}

std::vector<cl_platform_id> platforms() {
  cl_uint count = 0;
  const cl_int code = clGetPlatformIDs(0, nullptr, &count);
  if (code == kPlatformNotFound || (code == CL_SUCCESS && count == 0)) return {};
  check(code, "clGetPlatformIDs", "this machine");
  std::vector<cl_platform_id> found(count);
  check(clGetPlatformIDs(count, found.data(), nullptr), "clGetPlatformIDs", "this machine");
  const auto is_pocl = [](cl_platform_id platform) {
    return text(platform, CL_PLATFORM_NAME) == "Portable Computing Language";
  };
  std::ranges::stable_partition(found, is_pocl);
  return found;
}

std::vector<cl_device_id> devices_of(cl_platform_id platform) {
  cl_uint count = 0;
  const cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  if (code == CL_DEVICE_NOT_FOUND || (code == CL_SUCCESS && count == 0)) return {};
  const std::string name = text(platform, CL_PLATFORM_NAME);
  check(code, "clGetDeviceIDs", name);
  std::vector<cl_device_id> found(count);
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, found.data(), nullptr), "clGetDeviceIDs", name);
  return found;
}

}  // namespace

std::string code_name(cl_int code) {
  for (const auto& [known, name] : kCodes)
    if (known == code) return fmt::format("{} ({})", name, code);
  return fmt::format("OpenCL code {}", code);
}

void check(cl_int code, const char* call, const std::string& device) {
  if (code != CL_SUCCESS) throw Error(fmt::format("{} on '{}': {}", call, device, code_name(code)));
}

std::string text(cl_device_id device, cl_device_info property) {
  return text_of([=](auto... rest) { return clGetDeviceInfo(device, property, rest...); }, "clGetDeviceInfo");
}

std::string text(cl_platform_id platform, cl_platform_info property) {
  return text_of([=](auto... rest) { return clGetPlatformInfo(platform, property, rest...); }, "clGetPlatformInfo");
}

std::string type_name(cl_device_type type) {
  if ((type & CL_DEVICE_TYPE_CPU) != 0) return "cpu";
  if ((type & CL_DEVICE_TYPE_GPU) != 0) return "gpu";
  if ((type & CL_DEVICE_TYPE_ACCELERATOR) != 0) return "accelerator";
  return "other";
}

std::string first_complaint(const std::string& log) {
  std::istringstream lines(log);
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("error") != std::string::npos) return line;
    if (first.empty()) first = line;
  }
  return first.empty() ? "the driver gives no reason" : first;
}

std::vector<cl_device_id> all_devices() {
  std::vector<cl_device_id> found;
  for (const cl_platform_id platform : platforms())
    for (const cl_device_id device : devices_of(platform)) found.push_back(device);
  if (found.empty())
    throw Error("no OpenCL device: expected a driver such as the Debian package pocl-opencl-icd to be installed");
  return found;
}

}  // namespace isthmus::offload::opencl
