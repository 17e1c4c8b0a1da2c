#pragma once

#include <algorithm>
#include <array>

#include "fabric/dram/timing.hpp"

namespace isthmus::fabric::dram {

/// The timings between the banks of a rank: tRRD and tFAW between activates, tCCD between column commands, tWTR and the
/// turn of the data bus between directions.
class Rank {
 public:
  static constexpr int kMostGroups = 16;

  explicit Rank(const Timing& timing) : t_(timing) {
    group_activate_.fill(kLongAgo);
    last_activates_.fill(kLongAgo);
    for (auto& columns : group_column_) columns.fill(kLongAgo);
  }

  Cycle activate_from(int group) const {
    return std::max(
        {activate_ + t_.RRD_S, group_activate_[index(group)] + t_.RRD_L, last_activates_[oldest_] + t_.FAW});
  }
  void activated(int group, Cycle at) {
    activate_ = group_activate_[index(group)] = at;
    last_activates_[oldest_] = at;
    oldest_ = (oldest_ + 1) % last_activates_.size();
  }

  Cycle read_from(int group) const {
    return std::max({column_[kRead] + t_.CCD_S, group_column_[kRead][index(group)] + t_.CCD_L,
                     column_[kWrite] + t_.write_to_read_S, group_column_[kWrite][index(group)] + t_.write_to_read_L});
  }
  Cycle write_from(int group) const {
    return std::max({column_[kWrite] + t_.CCD_S, group_column_[kWrite][index(group)] + t_.CCD_L,
                     column_[kRead] + t_.read_to_write});
  }
  void read(int group, Cycle at) { column_[kRead] = group_column_[kRead][index(group)] = at; }
  void written(int group, Cycle at) { column_[kWrite] = group_column_[kWrite][index(group)] = at; }

 private:
  static constexpr std::size_t kRead = 0;
  static constexpr std::size_t kWrite = 1;
  static constexpr Cycle kLongAgo = -1'000'000;
  static std::size_t index(int group) { return static_cast<std::size_t>(group); }

  const Timing& t_;
  Cycle activate_ = kLongAgo;
  std::array<Cycle, kMostGroups> group_activate_{};
  std::array<Cycle, 4> last_activates_{};
  std::size_t oldest_ = 0;
  std::array<Cycle, 2> column_{kLongAgo, kLongAgo};
  std::array<std::array<Cycle, kMostGroups>, 2> group_column_{};
};

}  // namespace isthmus::fabric::dram
