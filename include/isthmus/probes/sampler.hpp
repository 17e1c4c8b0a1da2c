#pragma once

#include <vector>

#include "isthmus/base/units.hpp"

namespace isthmus::probes {

/// Something on an open device that can be timed again and again.
class Sampler {
 public:
  virtual ~Sampler() = default;
  /// So many samples, one right after the other. A real device does the same once before, untimed.
  virtual std::vector<Time> take(int samples) = 0;
  /// Throws Error where the bytes that came back differ from those that went.
  virtual void check() {}
};

/// Samples of something that is timed once.
std::vector<Time> sample(Sampler& sampler, int samples);

}  // namespace isthmus::probes
