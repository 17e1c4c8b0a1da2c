#include <algorithm>
#include <optional>

#include "isthmus/base/cores.hpp"
#include "offload/opencl/api.hpp"

namespace isthmus::offload::opencl {
namespace {

// cl_khr_pci_bus_info and cl_nv_device_attribute_query: Debian's headers of OpenCL 1.2 have no names for them.
constexpr cl_device_info kPciBusInfo = 0x410F;
constexpr cl_device_info kNvidiaPciBus = 0x4008;
constexpr cl_device_info kNvidiaPciSlot = 0x4009;

struct PciBusInfo {
  cl_uint domain;
  cl_uint bus;
  cl_uint device;
  cl_uint function;
};

/// A property of an extension that the device may lack.
template <typename T>
std::optional<T> asked(const cl::Device& device, cl_device_info what) {
  T value{};
  if (clGetDeviceInfo(device(), what, sizeof value, &value, nullptr) != CL_SUCCESS) return {};
  return value;
}

std::string pci_of(const cl::Device& device) {
  if (const auto place = asked<PciBusInfo>(device, kPciBusInfo))
    return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", place->domain, place->bus, place->device, place->function);
  const auto bus = asked<cl_uint>(device, kNvidiaPciBus);
  const auto slot = asked<cl_uint>(device, kNvidiaPciSlot);
  return bus && slot ? fmt::format("0000:{:02x}:{:02x}.{:x}", *bus, *slot >> 3U, *slot & 7U) : "";
}

std::string type_name(cl_device_type type) {
  if ((type & CL_DEVICE_TYPE_CPU) != 0) return "cpu";
  if ((type & CL_DEVICE_TYPE_GPU) != 0) return "gpu";
  if ((type & CL_DEVICE_TYPE_ACCELERATOR) != 0) return "accelerator";
  return "other";
}

bool divisible(const cl::Device& device) {
  const auto kinds = device.getInfo<CL_DEVICE_PARTITION_PROPERTIES>();
  return std::ranges::find(kinds, CL_DEVICE_PARTITION_EQUALLY) != kinds.end();
}

DeviceProperties told_by(const cl::Device& device, const std::string& target) {
  const cl::Platform platform(device.getInfo<CL_DEVICE_PLATFORM>());
  const std::string extensions = trimmed(device.getInfo<CL_DEVICE_EXTENSIONS>()) + " ";
  const auto has = [&extensions](const char* name) { return extensions.find(name) != std::string::npos; };
  const std::string type = type_name(device.getInfo<CL_DEVICE_TYPE>());
  return {.target = target,
          .name = trimmed(device.getInfo<CL_DEVICE_NAME>()),
          .platform = trimmed(platform.getInfo<CL_PLATFORM_NAME>()),
          .vendor = trimmed(device.getInfo<CL_DEVICE_VENDOR>()),
          .driver = trimmed(device.getInfo<CL_DRIVER_VERSION>()),
          .version = trimmed(device.getInfo<CL_DEVICE_VERSION>()),
          .type = type,
          .pci = pci_of(device),
          .compute_units = device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>(),
          .clock_mhz = device.getInfo<CL_DEVICE_MAX_CLOCK_FREQUENCY>(),
          .global_memory = static_cast<std::int64_t>(device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>()),
          .max_allocation = static_cast<std::int64_t>(device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>()),
          .local_memory = static_cast<std::int64_t>(device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>()),
          .max_work_group = static_cast<std::int64_t>(device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>()),
          .half = has("cl_khr_fp16 "),
          .fp64 = has("cl_khr_fp64 "),
          .ecc = device.getInfo<CL_DEVICE_ERROR_CORRECTION_SUPPORT>() == CL_TRUE,
          // PoCL says no of its processors.
          .host_memory = device.getInfo<CL_DEVICE_HOST_UNIFIED_MEMORY>() == CL_TRUE || type == "cpu",
          .compiles_online = device.getInfo<CL_DEVICE_COMPILER_AVAILABLE>() == CL_TRUE,
          .limits_registers = has("cl_nv_compiler_options "),
          .divisible = divisible(device)};
}

}  // namespace

std::int64_t cache_of(const DeviceProperties& device) {
  // Drivers of GPUs do not agree on the cache that CL_DEVICE_GLOBAL_MEM_CACHE_SIZE is about: NVIDIA's and AMD's tell
  // the first level's, Intel's the last's, some none (AdaptiveCpp issue 929). Nothing says which.
  if (device.type != "cpu") return 0;
  const Cores here = Cores::here();
  const auto all = static_cast<std::int64_t>(units_of(here.all()).size());
  return here.last_level_cache() * std::min(device.compute_units, all) / std::max<std::int64_t>(all, 1);
}

DeviceProperties describe(const cl::Device& device, const std::string& target) {
  return checked("an OpenCL device", [&] { return told_by(device, target); });
}

}  // namespace isthmus::offload::opencl
