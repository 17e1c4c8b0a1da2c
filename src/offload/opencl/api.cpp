#include "offload/opencl/api.hpp"

#include <algorithm>
#include <array>
#include <utility>

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

std::vector<cl::Platform> platforms() {
  std::vector<cl::Platform> found;
  checked("this machine", [&found] {
    try {
      cl::Platform::get(&found);
    } catch (const cl::Error& error) {
      if (error.err() != kPlatformNotFound) throw;
    }
  });
  const auto is_pocl = [](const cl::Platform& platform) {
    return trimmed(platform.getInfo<CL_PLATFORM_NAME>()) == "Portable Computing Language";
  };
  checked("this machine", [&] { std::ranges::stable_partition(found, is_pocl); });
  return found;
}

}  // namespace

std::string code_name(cl_int code) {
  for (const auto& [known, name] : kCodes)
    if (known == code) return fmt::format("{} ({})", name, code);
  return fmt::format("OpenCL code {}", code);
}

std::string trimmed(const std::string& text) {
  const std::string blanks(" \0", 2);
  const std::size_t first = text.find_first_not_of(' ');
  const std::size_t last = text.find_last_not_of(blanks);
  return first == std::string::npos || last == std::string::npos ? "" : text.substr(first, last + 1 - first);
}

std::vector<cl::Device> all_devices() {
  std::vector<cl::Device> found;
  for (const cl::Platform& platform : platforms()) {
    std::vector<cl::Device> devices;
    checked("an OpenCL platform", [&] { platform.getDevices(CL_DEVICE_TYPE_ALL, &devices); });
    found.insert(found.end(), devices.begin(), devices.end());
  }
  if (found.empty())
    throw Error("no OpenCL device: expected a driver, such as Python's isthmus[opencl] or Debian's pocl-opencl-icd");
  return found;
}

}  // namespace isthmus::offload::opencl
