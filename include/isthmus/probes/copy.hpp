#pragma once

#include <string>
#include <vector>

#include "isthmus/base/units.hpp"
#include "isthmus/offload/device.hpp"

namespace isthmus::probes {

enum class Direction { to_device, to_host };

/// How long blocking copies of `size` between pageable host memory and a buffer on the device take, call to return
/// (choi2019 3.2.1). A real device copies once more before, untimed. Throws Error where the bytes that come back differ
/// from those that went.
std::vector<Time> time_copies(offload::Device& device, Direction direction, Bytes size, int samples);

/// The middle of some samples, and how far the middle half of them reaches: (p75 - p25) / median.
struct Summary {
  double median = 0;
  double spread = 0;
};
/// Percentiles are interpolated between neighbours; there is at least one sample.
Summary summarise(std::vector<double> samples);

}  // namespace isthmus::probes
