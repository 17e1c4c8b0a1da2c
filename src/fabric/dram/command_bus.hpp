#pragma once

#include <array>

#include "fabric/dram/timing.hpp"

namespace isthmus::fabric::dram {

/// The command bus, which carries one command a cycle. Commands are placed in the order in which they are decided; one
/// that opens a row ahead of time may find its cycle before others that are already placed.
class CommandBus {
 public:
  /// Commands this far back can still be placed; a queue is served in less.
  static constexpr Cycle kReach = 1024;

  CommandBus() { taken_.fill(-1); }

  /// Takes the first free cycle from `cycle` on.
  Cycle take(Cycle cycle) {
    while (taken_[slot(cycle)] == cycle) ++cycle;
    taken_[slot(cycle)] = cycle;
    return cycle;
  }

 private:
  static constexpr std::size_t kSlots = 4 * kReach;
  static std::size_t slot(Cycle cycle) { return static_cast<std::size_t>(cycle) % kSlots; }
  std::array<Cycle, kSlots> taken_{};
};

}  // namespace isthmus::fabric::dram
