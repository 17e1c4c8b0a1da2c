#pragma once

#include <array>

#include "fabric/dram/address.hpp"
#include "fabric/dram/bank.hpp"
#include "fabric/dram/command_bus.hpp"
#include "fabric/dram/rank.hpp"

namespace isthmus::fabric::dram {

/// Places the commands of bursts and refreshes in time, each at the first cycle that all timings allow.
class Commands {
 public:
  Commands(const DramSpec& spec, DramObserver* observer);
  Commands(const Commands&) = delete;
  Commands& operator=(const Commands&) = delete;

  /// Places `count` bursts from `first` on, which are served from cycle `start`; their rows may be opened from
  /// `entered` on. Returns the cycle of the last column command.
  Cycle access(Direction direction, std::uint64_t first, std::int64_t count, Cycle entered, Cycle start);

  /// Places the refreshes that are due by cycle `now`. A refresh waits for what is under way, so it comes late by a
  /// request at most; the standards allow eight intervals.
  void refresh(Cycle now);

  const Timing& timing() const { return timing_; }

 private:
  static constexpr std::size_t kMostBanks = std::size_t{64} * 16;

  void open_row(const Place& place, Cycle from);
  Cycle close_all(Cycle from);
  Cycle issue(DramCommandKind kind, Cycle from, const Place& place);

  Timing timing_;
  AddressMap map_;
  Rank rank_;
  CommandBus bus_;
  int banks_;
  std::array<Bank, kMostBanks> bank_{};
  Cycle next_refresh_;
  DramObserver* observer_;
};

}  // namespace isthmus::fabric::dram
