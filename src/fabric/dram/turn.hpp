#pragma once

#include "fabric/dram/timing.hpp"

namespace isthmus::fabric::dram {

/// The direction in which the controller goes on. It serves a group in one direction before it turns to requests that
/// wait in the other, because each turn of the data bus costs tWTR or the turnaround.
class Turn {
 public:
  Turn(int read_group, int write_group) : read_group_(read_group), write_group_(write_group) {}

  /// The direction that is served next if something waits there; otherwise the other one is.
  Direction first() const { return served_ < group() ? direction_ : other(); }
  void served(Direction direction, std::int64_t bursts) {
    if (direction != direction_) served_ = 0;
    direction_ = direction;
    served_ += bursts;
  }

 private:
  std::int64_t group() const { return direction_ == Direction::read ? read_group_ : write_group_; }
  Direction other() const { return direction_ == Direction::read ? Direction::write : Direction::read; }

  std::int64_t read_group_;
  std::int64_t write_group_;
  Direction direction_ = Direction::read;
  std::int64_t served_ = 0;
};

}  // namespace isthmus::fabric::dram
