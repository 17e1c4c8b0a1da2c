#pragma once

#include <cstdint>

#include "isthmus/engine/timer.hpp"
#include "isthmus/fabric/core_memory.hpp"
#include "isthmus/platform/soc_board.hpp"

namespace isthmus::platform {

/// A core of the processor that runs a program: part of an actor that has the core's clock. The board attaches its
/// memory.
class SocCore {
 public:
  fabric::CoreMemory memory;

  explicit SocCore(const SocSpec& spec);

  Time now() { return timer_.now(); }
  /// Works so long with data that are at hand.
  void work(Time time) { timer_.wait_until(timer_.now() + time); }
  /// Flushes or invalidates the lines of a buffer, and waits at the barrier that a driver puts behind each.
  void maintain(std::uint64_t address, std::uint64_t bytes);

 private:
  Timer timer_;
  std::uint64_t line_;
  Time maintain_;
};

}  // namespace isthmus::platform
