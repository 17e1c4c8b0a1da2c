#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "isthmus/base/units.hpp"

namespace isthmus::fabric::dram {

/// The queue of one direction, served in order: tells when a request gets into it, which is when the controller may
/// begin to open its row. Its room is counted in bursts.
class Queue {
 public:
  static constexpr std::int64_t kDeepest = 1024;

  explicit Queue(int depth) : depth_(depth) {}

  /// Since when there has been room for a request of `bursts`.
  Time room_for(std::int64_t bursts) {
    const std::int64_t gone = std::min(left_, left_ + bursts - depth_);
    if (gone <= 0) return {};
    while (history_[oldest_].left < gone) oldest_ = (oldest_ + 1) % history_.size();
    return history_[oldest_].at;
  }
  /// A request of `bursts` was served.
  void served(std::int64_t bursts, Time at) {
    left_ += bursts;
    history_[next_] = {.left = left_, .at = at};
    next_ = (next_ + 1) % history_.size();
  }

 private:
  struct Leaving {
    std::int64_t left;  ///< bursts that have left so far
    Time at;
  };

  std::int64_t depth_;
  std::int64_t left_ = 0;
  std::array<Leaving, kDeepest + 2> history_{};
  std::size_t oldest_ = 0;
  std::size_t next_ = 0;
};

}  // namespace isthmus::fabric::dram
