#pragma once

#include <algorithm>

#include "fabric/dram/timing.hpp"

namespace isthmus::fabric::dram {

/// The row that a bank has open, and the first cycle at which it takes each command.
class Bank {
 public:
  static constexpr std::int64_t kClosed = -1;

  bool open() const { return row_ != kClosed; }
  bool holds(std::int64_t row) const { return row_ == row; }
  Cycle activate_from() const { return activate_from_; }
  Cycle column_from() const { return column_from_; }
  Cycle precharge_from() const { return precharge_from_; }

  void activated(std::int64_t row, Cycle at, const Timing& t) {
    row_ = row;
    column_from_ = at + t.RCD;
    precharge_from_ = at + t.RAS;
  }
  void read(Cycle at, const Timing& t) { precharge_from_ = std::max(precharge_from_, at + t.RTP); }
  void written(Cycle at, const Timing& t) { precharge_from_ = std::max(precharge_from_, at + t.write_to_precharge); }
  void precharged(Cycle at, const Timing& t) {
    row_ = kClosed;
    activate_from_ = at + t.RP;
  }
  void refreshed(Cycle at, const Timing& t) { activate_from_ = at + t.RFC; }

 private:
  std::int64_t row_ = kClosed;
  Cycle activate_from_ = 0;
  Cycle column_from_ = 0;
  Cycle precharge_from_ = 0;
};

}  // namespace isthmus::fabric::dram
