#pragma once

#include <chrono>

namespace isthmus {

/// Seconds of this machine's monotonic clock, which all its processes share.
inline double monotonic_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace isthmus
