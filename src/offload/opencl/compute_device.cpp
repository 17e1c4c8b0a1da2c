#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <mutex>
#include <vector>

#include "isthmus/base/cores.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/offload/compute.hpp"
#include "offload/opencl/api.hpp"

namespace isthmus::offload {
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

std::string pci_of(cl_device_id device) {
  PciBusInfo place{};
  if (clGetDeviceInfo(device, kPciBusInfo, sizeof place, &place, nullptr) == CL_SUCCESS)
    return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", place.domain, place.bus, place.device, place.function);
  cl_uint bus = 0;
  cl_uint slot = 0;
  if (clGetDeviceInfo(device, kNvidiaPciBus, sizeof bus, &bus, nullptr) == CL_SUCCESS &&
      clGetDeviceInfo(device, kNvidiaPciSlot, sizeof slot, &slot, nullptr) == CL_SUCCESS)
    return fmt::format("0000:{:02x}:{:02x}.{:x}", bus, slot >> 3U, slot & 7U);
  return {};
}

bool divisible(cl_device_id device) {
  std::array<cl_device_partition_property, 16> kinds{};
  std::size_t bytes = 0;
  opencl::check(clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, sizeof kinds, kinds.data(), &bytes),
                "clGetDeviceInfo", opencl::text(device, CL_DEVICE_NAME));
  return std::find(kinds.begin(), kinds.end(), CL_DEVICE_PARTITION_EQUALLY) != kinds.end();
}

// Flags of clCreateBuffer and what XRT then takes for host memory: cl_ext_xilinx.h of XRT, cl_ext_intelfpga.h of
// Intel's FPGA SDK for OpenCL (cl_intelfpga_mem_banks), neither of which is Khronos's.
constexpr cl_mem_flags kXrtPlace = cl_mem_flags{1} << 31U;
constexpr cl_mem_flags kIntelTypes = cl_mem_flags{1} << 19U;

struct XrtPlace {
  cl_uint argument;
  void* host;
  void* kernel;
};

/// Channel 0 is the driver's choice.
cl_mem_flags intel_channel(std::uint32_t bank) {
  return cl_mem_flags{bank + 1} << 16U;
}

/// Of the processor's last-level caches those that go with so many of its units.
std::int64_t cache_of(const std::string& type, std::int64_t units) {
  if (type != "cpu") return 0;
  const Cores here = Cores::here();
  const auto all = static_cast<std::int64_t>(units_of(here.all()).size());
  return here.last_level_cache() * std::min(units, all) / std::max<std::int64_t>(all, 1);
}

ComputeProperties describe(cl_device_id device, const std::string& target) {
  const auto platform = opencl::number<cl_platform_id>(device, CL_DEVICE_PLATFORM);
  const auto bytes = [device](cl_device_info what) {
    return static_cast<std::int64_t>(opencl::number<cl_ulong>(device, what));
  };
  const std::string extensions = opencl::text(device, CL_DEVICE_EXTENSIONS) + " ";
  const auto has = [&extensions](const char* name) { return extensions.find(name) != std::string::npos; };
  const std::string type = opencl::type_name(opencl::number<cl_device_type>(device, CL_DEVICE_TYPE));
  return {
      .target = target,
      .name = opencl::text(device, CL_DEVICE_NAME),
      .platform = opencl::text(platform, CL_PLATFORM_NAME),
      .vendor = opencl::text(device, CL_DEVICE_VENDOR),
      .driver = opencl::text(device, CL_DRIVER_VERSION),
      .version = opencl::text(device, CL_DEVICE_VERSION),
      .type = type,
      .pci = pci_of(device),
      .compute_units = opencl::number<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS),
      .clock_mhz = opencl::number<cl_uint>(device, CL_DEVICE_MAX_CLOCK_FREQUENCY),
      .global_memory = bytes(CL_DEVICE_GLOBAL_MEM_SIZE),
      .max_allocation = bytes(CL_DEVICE_MAX_MEM_ALLOC_SIZE),
      .local_memory = bytes(CL_DEVICE_LOCAL_MEM_SIZE),
      .cache = cache_of(type, opencl::number<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS)),
      .max_work_group = static_cast<std::int64_t>(opencl::number<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE)),
      .half = has("cl_khr_fp16 "),
      .fp64 = has("cl_khr_fp64 "),
      .ecc = opencl::number<cl_bool>(device, CL_DEVICE_ERROR_CORRECTION_SUPPORT) == CL_TRUE,
      // PoCL says no of its processors.
      .host_memory = opencl::number<cl_bool>(device, CL_DEVICE_HOST_UNIFIED_MEMORY) == CL_TRUE || type == "cpu",
      .compiles_online = opencl::number<cl_bool>(device, CL_DEVICE_COMPILER_AVAILABLE) == CL_TRUE,
      .limits_registers = has("cl_nv_compiler_options "),
      .divisible = divisible(device)};
}

/// A part of a device is kept until the program ends: PoCL's threads still look at it after its last command.
void keep(void* device) {
  static std::mutex door;
  static auto& kept = *new std::vector<void*>;  // outlives every static, so that what it holds is never lost
  const std::lock_guard guard(door);
  kept.push_back(device);
}

/// The part of a device as a device of its own.
ComputeHandle take_part(cl_device_id device, DevicePart part) {
  if (part.count == 1) return {device, keep};
  const std::string name = opencl::text(device, CL_DEVICE_NAME);
  const auto units = opencl::number<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS);
  const auto each = units / static_cast<cl_uint>(part.count);
  if (each == 0)
    throw Error(fmt::format("device '{}' has {} compute units, expected at least {}: one for each rank", name, units,
                            part.count));
  const std::array<cl_device_partition_property, 3> equally{CL_DEVICE_PARTITION_EQUALLY,
                                                            static_cast<cl_device_partition_property>(each), 0};
  cl_uint made = 0;
  if (clCreateSubDevices(device, equally.data(), 0, nullptr, &made) != CL_SUCCESS)
    throw Error(fmt::format("device '{}' cannot be divided into sub-devices", name));
  std::vector<cl_device_id> parts(made);
  opencl::check(clCreateSubDevices(device, equally.data(), made, parts.data(), nullptr), "clCreateSubDevices", name);
  ComputeHandle mine;
  for (cl_uint index = 0; index < made; ++index) {
    if (index == static_cast<cl_uint>(part.index))
      mine = ComputeHandle(parts[index], keep);
    else
      clReleaseDevice(parts[index]);
  }
  return mine;
}

std::string read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw Error(fmt::format("{}: cannot read the device binary", path));
  return bytes;
}

}  // namespace

ComputeDevice ComputeDevice::open(const std::string& target, DevicePart part) {
  ComputeHandle device = take_part(opencl::find_device(target), part);
  auto* const id = static_cast<cl_device_id>(device.get());
  ComputeProperties properties = describe(id, target);
  cl_int code = CL_SUCCESS;
  ComputeHandle context(clCreateContext(nullptr, 1, &id, nullptr, nullptr, &code), opencl::Release());
  opencl::check(code, "clCreateContext", properties.name);
  return {std::move(device), std::move(context), std::move(properties)};
}

ComputeHandle ComputeDevice::allocate(std::size_t bytes, std::uint64_t flags, void* of_host) const {
  const auto refuse = [&](const std::string& why) {
    throw Error(fmt::format("device '{}' has no room for a buffer of {} bytes: {}", properties_.name, bytes, why));
  };
  // Asked first, because some drivers promise any size and fail when the buffer is used.
  if (bytes > static_cast<std::size_t>(properties_.max_allocation))
    refuse(fmt::format("one may have {}", properties_.max_allocation));
  cl_int code = CL_SUCCESS;
  const cl_mem memory =
      clCreateBuffer(static_cast<cl_context>(context_.get()), CL_MEM_READ_WRITE | flags, bytes, of_host, &code);
  if (code != CL_SUCCESS) refuse("clCreateBuffer: " + opencl::code_name(code));
  return {memory, opencl::Release()};
}

ComputeBuffer ComputeDevice::buffer(std::size_t bytes) const {
  return {allocate(bytes, 0), bytes};
}

ComputeBuffer ComputeDevice::buffer(std::size_t bytes, const MemoryBank& bank) const {
  switch (bank.told) {
    case MemoryBank::Told::kernel: {
      XrtPlace place{.argument = bank.argument, .host = nullptr, .kernel = bank.kernel->handle()};
      return {allocate(bytes, kXrtPlace, &place), bytes};
    }
    case MemoryBank::Told::type: {
      const ComputeHandle memory = allocate(bytes, kIntelTypes);
      const auto handle = static_cast<cl_mem>(memory.get());
      opencl::check(
          clSetKernelArg(static_cast<cl_kernel>(bank.kernel->handle()), bank.argument, sizeof handle, &handle),
          "clSetKernelArg", properties_.name);
      return {memory, bytes};
    }
    case MemoryBank::Told::channel:
      return {allocate(bytes, intel_channel(bank.bank)), bytes};
    case MemoryBank::Told::nothing:
      break;
  }
  return buffer(bytes);
}

PinnedMemory ComputeDevice::pinned(std::size_t bytes) const {
  const ComputeHandle memory = allocate(bytes, CL_MEM_ALLOC_HOST_PTR);
  return queue().map({memory, bytes});
}

PinnedMemory ComputeDevice::pin(std::span<std::byte> memory) const {
  const ComputeHandle buffer = allocate(memory.size(), CL_MEM_USE_HOST_PTR, memory.data());
  return queue().map({buffer, memory.size()});
}

ComputeQueue ComputeDevice::queue() const {
  return make_queue(CL_QUEUE_PROFILING_ENABLE);
}

ComputeQueue ComputeDevice::copy_queue() const {
  return make_queue(0);
}

ComputeQueue ComputeDevice::make_queue(std::uint64_t properties) const {
  cl_int code = CL_SUCCESS;
  const cl_command_queue made = clCreateCommandQueue(static_cast<cl_context>(context_.get()),
                                                     static_cast<cl_device_id>(device_.get()), properties, &code);
  opencl::check(code, "clCreateCommandQueue", properties_.name);
  return {ComputeHandle(made, opencl::Release()), properties_.name};
}

ComputeProgram ComputeDevice::program(std::span<const ProgramSource> sources, const std::string& options) const {
  if (!properties_.compiles_online)
    throw Error(fmt::format("device '{}' compiles no source, expected --binary FILE", properties_.name));
  std::vector<const char*> texts;
  for (const ProgramSource& source : sources) texts.push_back(source.text.c_str());
  cl_int code = CL_SUCCESS;
  ComputeHandle program(clCreateProgramWithSource(static_cast<cl_context>(context_.get()),
                                                  static_cast<cl_uint>(texts.size()), texts.data(), nullptr, &code),
                        opencl::Release());
  opencl::check(code, "clCreateProgramWithSource", properties_.name);
  return build(std::move(program), sources.back().file, "-cl-std=CL1.2 " + options);
}

ComputeProgram ComputeDevice::program_from_binary(const std::string& file) const {
  const std::string bytes = read_whole(file);
  const auto* start = reinterpret_cast<const unsigned char*>(bytes.data());
  const std::size_t size = bytes.size();
  auto* const id = static_cast<cl_device_id>(device_.get());
  cl_int code = CL_SUCCESS;
  cl_int loaded = CL_SUCCESS;
  ComputeHandle program(
      clCreateProgramWithBinary(static_cast<cl_context>(context_.get()), 1, &id, &size, &start, &loaded, &code),
      opencl::Release());
  if (code != CL_SUCCESS || loaded != CL_SUCCESS)
    throw Error(fmt::format("{}: no binary for the device '{}': {}", file, properties_.name,
                            opencl::code_name(loaded != CL_SUCCESS ? loaded : code)));
  return build(std::move(program), file, "");
}

ComputeProgram ComputeDevice::build(ComputeHandle program, const std::string& file, const std::string& options) const {
  const auto handle = static_cast<cl_program>(program.get());
  auto* const id = static_cast<cl_device_id>(device_.get());
  const cl_int code = clBuildProgram(handle, 1, &id, options.c_str(), nullptr, nullptr);
  if (code == CL_SUCCESS) return {std::move(program), file, properties_.name};
  std::size_t size = 0;
  opencl::check(clGetProgramBuildInfo(handle, id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size), "clGetProgramBuildInfo",
                properties_.name);
  std::string log(size, '\0');
  opencl::check(clGetProgramBuildInfo(handle, id, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr),
                "clGetProgramBuildInfo", properties_.name);
  throw BuildRefused(fmt::format("{}: clBuildProgram on '{}': {}: {}", file, properties_.name, opencl::code_name(code),
                                 opencl::first_complaint(log.c_str())));
}

}  // namespace isthmus::offload
