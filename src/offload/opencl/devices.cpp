#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"
#include "isthmus/offload/opencl.hpp"
#include "offload/opencl/api.hpp"
#include "offload/opencl/device.hpp"

namespace isthmus::offload {
namespace {

constexpr std::string_view kPrefix = "opencl:";

OpenClDeviceInfo describe(cl_device_id device, std::size_t index) {
  const auto platform = opencl::number<cl_platform_id>(device, CL_DEVICE_PLATFORM);
  const auto bytes = [device](cl_device_info property) {
    return Bytes{static_cast<std::int64_t>(opencl::number<cl_ulong>(device, property))};
  };
  return {.target = fmt::format("{}{}", kPrefix, index),
          .name = opencl::text(device, CL_DEVICE_NAME),
          .platform = opencl::text(platform, CL_PLATFORM_NAME),
          .driver = opencl::text(device, CL_DRIVER_VERSION),
          .type = opencl::type_name(opencl::number<cl_device_type>(device, CL_DEVICE_TYPE)),
          .compute_units = opencl::number<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS),
          .global_memory = bytes(CL_DEVICE_GLOBAL_MEM_SIZE),
          .max_allocation = bytes(CL_DEVICE_MAX_MEM_ALLOC_SIZE)};
}

std::vector<OpenClDeviceInfo> describe_all(const std::vector<cl_device_id>& devices) {
  std::vector<OpenClDeviceInfo> all;
  for (std::size_t index = 0; index < devices.size(); ++index) all.push_back(describe(devices[index], index));
  return all;
}

bool contains(std::string_view text, std::string_view part) {
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  return !std::ranges::search(text, part, same).empty();
}

std::string listed(const std::vector<OpenClDeviceInfo>& devices) {
  std::vector<std::string> named;
  named.reserve(devices.size());
  for (const auto& device : devices) named.push_back(fmt::format("{} ({})", device.target, device.name));
  return fmt::format("{}", fmt::join(named, ", "));
}

std::size_t index_of(const std::string& target, const std::vector<OpenClDeviceInfo>& devices) {
  const std::string_view wanted = std::string_view(target).substr(kPrefix.size());
  std::size_t index = 0;
  const auto [end, failure] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
  if (!wanted.empty() && end == wanted.data() + wanted.size()) {
    if (failure == std::errc() && index < devices.size()) return index;
    throw Error(fmt::format("unknown target '{}'; help: the devices here are {}.", target, listed(devices)));
  }
  const auto named = [wanted](const auto& d) { return contains(d.name, wanted) || contains(d.platform, wanted); };
  const auto found = std::ranges::find_if(devices, named);
  if (!wanted.empty() && found != devices.end()) return static_cast<std::size_t>(found - devices.begin());
  std::vector<std::string> names;
  names.reserve(2 * devices.size());
  for (const auto& device : devices) names.push_back(device.target);
  for (const auto& device : devices) names.push_back(fmt::format("{}{}", kPrefix, device.name));
  throw Error(unknown_name("target", target, names));
}

}  // namespace

cl_device_id opencl::find_device(const std::string& target) {
  if (!target.starts_with(kPrefix))
    throw Error(fmt::format("unknown target '{}': expected opencl:N or opencl:NAME, a real device", target));
  const auto devices = all_devices();
  return devices[index_of(target, describe_all(devices))];
}

std::vector<OpenClDeviceInfo> opencl_devices() {
  return describe_all(opencl::all_devices());
}

std::unique_ptr<Device> open_opencl(const std::string& target) {
  const auto opened = opencl::WallClock::now();
  return std::make_unique<opencl::OpenClDevice>(opencl::find_device(target), opened);
}

}  // namespace isthmus::offload
