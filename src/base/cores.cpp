#include "isthmus/base/cores.hpp"

#include <fmt/format.h>
#include <hwloc.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <utility>

#include "isthmus/base/error.hpp"

// hwloc's archive asks libudev for what disks are called, which is not looked for here: without it no program needs the
// library. Hidden, so that no other library of the program gets them.
extern "C" {
[[gnu::visibility("hidden")]] void* udev_new() {
  return nullptr;
}
[[gnu::visibility("hidden")]] void* udev_unref(void*) {
  return nullptr;
}
[[gnu::visibility("hidden")]] void* udev_device_new_from_subsystem_sysname(void*, const char*, const char*) {
  return nullptr;
}
[[gnu::visibility("hidden")]] void* udev_device_unref(void*) {
  return nullptr;
}
[[gnu::visibility("hidden")]] const char* udev_device_get_property_value(void*, const char*) {
  return nullptr;
}
}

namespace isthmus {

class Cores::Topology {
 public:
  /// Reading what hangs on the bus takes longer than all else: each register of a virtual machine is a trap.
  enum class Devices : std::uint8_t { kNo, kYes };

  Topology(const std::optional<std::string>& xml, Devices devices) {
    if (hwloc_topology_init(&topology_) != 0) throw Error("hwloc_topology_init failed");
    if (devices == Devices::kYes) {
      // Bridges and PCI devices alone: what looks for other devices would open their drivers.
      hwloc_topology_set_type_filter(topology_, HWLOC_OBJ_PCI_DEVICE, HWLOC_TYPE_FILTER_KEEP_ALL);
      hwloc_topology_set_type_filter(topology_, HWLOC_OBJ_BRIDGE, HWLOC_TYPE_FILTER_KEEP_ALL);
    }
    // Linux lists the devices of the bus; the plugin that asks libpciaccess leaks.
    hwloc_topology_set_components(topology_, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "pci");
    const bool read =
        !xml || hwloc_topology_set_xmlbuffer(topology_, xml->c_str(), static_cast<int>(xml->size() + 1)) == 0;
    if (!read || hwloc_topology_load(topology_) != 0) {
      hwloc_topology_destroy(topology_);
      throw Error(xml ? "expected a topology in hwloc's XML" : "hwloc cannot read this machine's cores");
    }
  }
  ~Topology() { hwloc_topology_destroy(topology_); }
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;
  hwloc_topology_t get() const { return topology_; }

  std::vector<CoreUnits> inside(hwloc_const_cpuset_t part) const {
    std::vector<CoreUnits> cores;
    for (hwloc_obj_t core = nullptr;
         (core = hwloc_get_next_obj_inside_cpuset_by_type(topology_, part, HWLOC_OBJ_CORE, core)) != nullptr;) {
      cores.emplace_back();
      for (int unit = hwloc_bitmap_first(core->cpuset); unit >= 0; unit = hwloc_bitmap_next(core->cpuset, unit))
        cores.back().push_back(unit);
    }
    return cores;
  }

 private:
  hwloc_topology_t topology_ = nullptr;
};

Cores Cores::here() {
  return Cores(std::nullopt);
}

Cores Cores::from_xml(const std::string& text) {
  return Cores(text);
}

Cores::Cores(std::optional<std::string> xml)
    : xml_(std::move(xml)), topology_(std::make_shared<Topology>(xml_, Topology::Devices::kNo)) {}

std::vector<CoreUnits> Cores::all() const {
  return topology_->inside(hwloc_topology_get_topology_cpuset(topology_->get()));
}

std::vector<CoreUnits> Cores::near(const std::string& pci) const {
  const Topology with_devices(xml_, Topology::Devices::kYes);
  const hwloc_obj_t device = hwloc_get_pcidev_by_busidstring(with_devices.get(), pci.c_str());
  if (device == nullptr) return all();
  const hwloc_obj_t part = hwloc_get_non_io_ancestor_obj(with_devices.get(), device);
  const std::vector<CoreUnits> found = with_devices.inside(part->cpuset);
  return found.empty() ? all() : found;
}

std::int64_t Cores::last_level_cache() const {
  for (const hwloc_obj_type_t level : {HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L1CACHE}) {
    std::uint64_t bytes = 0;
    for (hwloc_obj_t cache = nullptr; (cache = hwloc_get_next_obj_by_type(topology_->get(), level, cache)) != nullptr;)
      bytes += cache->attr->cache.size;
    if (bytes > 0) return static_cast<std::int64_t>(bytes);
  }
  return 0;
}

std::string Cores::processor() const {
  const hwloc_obj_t package = hwloc_get_obj_by_type(topology_->get(), HWLOC_OBJ_PACKAGE, 0);
  const char* name = package == nullptr ? nullptr : hwloc_obj_get_info_by_name(package, "CPUModel");
  return name == nullptr ? "" : name;
}

std::vector<CoreUnits> share_of(const std::vector<CoreUnits>& cores, std::size_t index, std::size_t count) {
  if (count > cores.size()) return cores;
  const auto at = [&](std::size_t share) {
    return cores.begin() + static_cast<std::ptrdiff_t>(share * cores.size() / count);
  };
  return {at(index), at(index + 1)};
}

std::vector<int> units_of(const std::vector<CoreUnits>& cores) {
  std::vector<int> units;
  for (const CoreUnits& core : cores) units.insert(units.end(), core.begin(), core.end());
  std::ranges::sort(units);
  return units;
}

std::string ranges(const std::vector<int>& units) {
  std::string text;
  for (std::size_t first = 0; first < units.size();) {
    std::size_t last = first;
    while (last + 1 < units.size() && units[last + 1] == units[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", units[first]);
    if (last > first) text += fmt::format("-{}", units[last]);
    first = last + 1;
  }
  return text;
}

namespace {

/// More than any machine that Linux runs on has.
constexpr std::size_t kMostUnits = 8192;

class UnitSet {
 public:
  explicit UnitSet(const std::vector<int>& units = {}) : bits_(kMostUnits / 64) {
    for (const int unit : units)
      bits_.at(static_cast<std::size_t>(unit) / 64) |= std::uint64_t{1} << (static_cast<unsigned>(unit) % 64U);
  }
  std::size_t bytes() const { return bits_.size() * sizeof(std::uint64_t); }
  cpu_set_t* get() { return reinterpret_cast<cpu_set_t*>(bits_.data()); }
  std::vector<int> units() const {
    std::vector<int> found;
    for (std::size_t unit = 0; unit < kMostUnits; ++unit)
      if ((bits_[unit / 64] >> (unit % 64U) & 1U) != 0) found.push_back(static_cast<int>(unit));
    return found;
  }

 private:
  std::vector<std::uint64_t> bits_;
};

/// Processing units of a thread of this process; empty if it has just ended.
std::vector<int> units_of_thread(pid_t thread) {
  UnitSet set;
  if (sched_getaffinity(thread, set.bytes(), set.get()) != 0) return {};
  return set.units();
}

/// A thread that has just ended needs no place.
void bind(pid_t thread, const std::vector<int>& units) {
  UnitSet wanted(units);
  if (sched_setaffinity(thread, wanted.bytes(), wanted.get()) != 0 && errno != ESRCH)
    throw Error(fmt::format("cannot bind to the cores {}: {}", ranges(units), std::strerror(errno)));
}

}  // namespace

std::vector<int> allowed_units() {
  std::vector<int> units = units_of_thread(0);
  if (units.empty()) throw Error(fmt::format("sched_getaffinity: {}", std::strerror(errno)));
  return units;
}

void bind_thread(const std::vector<int>& units) {
  bind(0, units);
}

void bind_to(const std::vector<int>& units) {
  const std::vector<int> before = allowed_units();
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    const std::string name = entry.path().filename();
    pid_t thread = 0;
    std::from_chars(name.data(), name.data() + name.size(), thread);
    if (units_of_thread(thread) == before) bind(thread, units);
  }
}

}  // namespace isthmus
