#pragma once

#include <chrono>
#include <filesystem>
#include <istream>
#include <optional>
#include <span>
#include <vector>

/// The load of other processes on the cores that a measurement needs.
namespace isthmus {

/// What went by on the cores that a process may use.
struct CoreUse {
  std::vector<int> units;  ///< processing units, as the operating system numbers them
  double usable = 0;       ///< cores' worth of processor time that the units give: fewer if a control group limits it
  double elapsed = 0;      ///< length of the interval, seconds
  double busy = 0;         ///< processor seconds used on the units by anything, other virtual machines included
  double own = 0;          ///< processor seconds used by this process and by the processes that it has waited for
};

/// The share of the usable cores, 0 to 1, that others took, from what processes that work together saw. Those with the
/// same units saw the same; units of which others have enough left are not taken.
double load_of(std::span<const CoreUse> uses);

/// Processor seconds in which these units were not idle, from the text of /proc/stat; none if it does not tell of all.
std::optional<double> busy_seconds(std::istream& stat, std::span<const int> units, double ticks_per_second);

/// The cores' worth of time that control groups (version 1 or 2) allow this process; infinity where none limits it.
/// `root` is where /proc and /sys are.
double control_group_cores(const std::filesystem::path& root = "/");

/// Watches this process's cores from its construction on.
class LoadMeter {
 public:
  LoadMeter();

  /// Until now; none where the system does not tell. The system counts in steps of some ms, so that it waits until 0.2
  /// s have passed.
  std::optional<CoreUse> use() const;
  /// The share that others took, of this process alone.
  std::optional<double> load() const;

 private:
  struct Reading {
    std::chrono::steady_clock::time_point at;
    std::optional<double> busy;
    double own = 0;
  };
  Reading read() const;

  std::vector<int> units_;
  Reading begin_;
};

}  // namespace isthmus
