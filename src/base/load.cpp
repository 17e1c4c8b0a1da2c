#include "isthmus/base/load.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "isthmus/base/cores.hpp"

namespace isthmus {
namespace {

constexpr std::chrono::milliseconds kLeast{200};
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double own_seconds() {
  double sum = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    if (getrusage(who, &used) == 0) sum += seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  }
  return sum;
}

/// Version 2: "150000 100000", a quota in a period, or "max 100000".
double cores_of(const std::filesystem::path& group) {
  std::ifstream together(group / "cpu.max");
  std::ifstream quota_file(group / "cpu.cfs_quota_us");
  std::ifstream period_file(group / "cpu.cfs_period_us");
  double quota = 0;
  double period = 0;
  const bool told = (together >> quota >> period) || (quota_file >> quota && period_file >> period);
  return told && quota > 0 && period > 0 ? quota / period : kNoLimit;
}

/// "0::/a/b" of version 2, "4:cpu,cpuacct:/a/b" of version 1: where the group's files are, below /sys/fs/cgroup.
std::optional<std::filesystem::path> folder_of(const std::string& line) {
  const auto first = line.find(':');
  const auto second = line.find(':', first + 1);
  if (first == std::string::npos || second == std::string::npos) return {};
  const std::string controllers = line.substr(first + 1, second - first - 1);
  if (!controllers.empty() && ("," + controllers + ",").find(",cpu,") == std::string::npos) return {};
  return std::filesystem::path(controllers) / line.substr(second + 1).substr(line[second + 1] == '/' ? 1 : 0);
}

}  // namespace

double load_of(std::span<const CoreUse> uses) {
  std::set<std::vector<int>> seen;
  CoreUse all;
  for (const CoreUse& use : uses) {
    all.own += use.own;
    all.elapsed = std::max(all.elapsed, use.elapsed);
    if (!seen.insert(use.units).second) continue;
    all.busy += use.busy;
    all.usable += use.usable;
    all.units.insert(all.units.end(), use.units.begin(), use.units.end());
  }
  if (all.elapsed <= 0 || all.usable <= 0) return 0;
  const double others = std::max(0.0, all.busy - all.own) / all.elapsed;
  const double left = static_cast<double>(all.units.size()) - others;
  return std::clamp((all.usable - left) / all.usable, 0.0, 1.0);
}

std::optional<double> busy_seconds(std::istream& stat, std::span<const int> units, double ticks_per_second) {
  // user nice system idle iowait irq softirq steal (proc(5)); guests are in user already.
  constexpr std::size_t kIdle = 3;
  constexpr std::size_t kWaiting = 4;
  constexpr std::size_t kFields = 8;
  double ticks = 0;
  std::size_t found = 0;
  for (std::string line; std::getline(stat, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (!name.starts_with("cpu") || name.size() == 3) continue;
    const int unit = std::stoi(name.substr(3));
    if (std::ranges::find(units, unit) == units.end()) continue;
    ++found;
    double value = 0;
    for (std::size_t field = 0; field < kFields && words >> value; ++field)
      if (field != kIdle && field != kWaiting) ticks += value;
  }
  if (found != units.size()) return {};
  return ticks / ticks_per_second;
}

double control_group_cores(const std::filesystem::path& root) {
  double least = kNoLimit;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const auto folder = folder_of(line);
    if (!folder) continue;
    // Every group above limits too. Inside a container the path may be that of another mount: its root is there.
    for (auto at = *folder;; at = at.parent_path()) {
      least = std::min(least, cores_of(root / "sys/fs/cgroup" / at));
      if (at.empty() || at == at.parent_path()) break;
    }
  }
  return least;
}

LoadMeter::LoadMeter() : units_(allowed_units()), begin_(read()) {}

LoadMeter::Reading LoadMeter::read() const {
  std::ifstream stat("/proc/stat");
  return {.at = std::chrono::steady_clock::now(),
          .busy = busy_seconds(stat, units_, static_cast<double>(sysconf(_SC_CLK_TCK))),
          .own = own_seconds()};
}

std::optional<CoreUse> LoadMeter::use() const {
  if (!begin_.busy) return {};
  std::this_thread::sleep_until(begin_.at + kLeast);
  const Reading end = read();
  if (!end.busy) return {};
  return CoreUse{.units = units_,
                 .usable = std::min(static_cast<double>(units_.size()), control_group_cores()),
                 .elapsed = std::chrono::duration<double>(end.at - begin_.at).count(),
                 .busy = *end.busy - *begin_.busy,
                 .own = end.own - begin_.own};
}

std::optional<double> LoadMeter::load() const {
  const auto seen = use();
  if (!seen) return {};
  return load_of({&*seen, 1});
}

}  // namespace isthmus
