#pragma once

#include <chrono>

#include "isthmus/base/moment.hpp"

namespace isthmus {

/// This moment of this machine's monotonic clock, which all its processes share.
inline Moment monotonic_now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return Moment::ns(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

}  // namespace isthmus
