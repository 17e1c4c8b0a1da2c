#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"
#include "isthmus/offload/open.hpp"
#include "offload/opencl/api.hpp"

namespace isthmus::offload {
namespace {

constexpr std::string_view kPrefix = "opencl:";

std::vector<DeviceProperties> describe_all(const std::vector<cl::Device>& devices) {
  std::vector<DeviceProperties> all;
  all.reserve(devices.size());
  for (std::size_t index = 0; index < devices.size(); ++index)
    all.push_back(opencl::describe(devices[index], fmt::format("{}{}", kPrefix, index)));
  return all;
}

bool contains(std::string_view text, std::string_view part) {
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  return !std::ranges::search(text, part, same).empty();
}

std::string listed(const std::vector<DeviceProperties>& devices) {
  std::vector<std::string> named;
  named.reserve(devices.size());
  for (const auto& device : devices) named.push_back(fmt::format("{} ({})", device.target, device.name));
  return fmt::format("{}", fmt::join(named, ", "));
}

std::size_t index_of(const std::string& target, const std::vector<DeviceProperties>& devices) {
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

cl::Device opencl::find_device(const std::string& target) {
  if (!target.starts_with(kPrefix))
    throw Error(fmt::format("unknown target '{}': expected opencl:N or opencl:NAME, a real device", target));
  const auto devices = all_devices();
  return devices[index_of(target, describe_all(devices))];
}

std::vector<DeviceProperties> opencl_devices() {
  return describe_all(opencl::all_devices());
}

}  // namespace isthmus::offload
