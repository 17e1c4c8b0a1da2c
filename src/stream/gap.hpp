#pragma once

#include "isthmus/engine/clock.hpp"
#include "isthmus/stream.hpp"

/// The cycles that a request takes besides its data.
namespace isthmus {

inline Time period_of(const Clock& clock) {
  return Time::seconds(1 / clock.frequency.hertz());
}

/// Passes on to the edge `cycles` later; half a period less meets it whatever way edges are rounded.
inline Time gap_time(int cycles, Time period) {
  return Time::fs(period.femtoseconds() * cycles - (cycles > 0 ? period.femtoseconds() / 2 : 0));
}

inline void pass(Timer& timer, Time gap) {
  if (gap > Time{}) timer.wait_until(timer.now() + gap);
}

}  // namespace isthmus
