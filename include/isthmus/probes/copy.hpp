#pragma once

#include <vector>

#include "isthmus/base/units.hpp"
#include "isthmus/offload/device.hpp"

namespace isthmus::probes {

enum class Direction { to_device, to_host };

/// What a copy passes on the host's side (choi2019 3.2.1).
enum class HostSide {
  pinned,    ///< from and to memory that the device reaches
  pageable,  ///< through staging that the runtime keeps
  fresh,     ///< through staging, into a buffer that is allocated for this copy
};

/// How long blocking copies of `size` take, call to return; `fresh` ones from the allocation of their buffer on. A real
/// device copies once more before, untimed. Throws Error where the bytes that come back differ from those that went.
std::vector<Time> time_copies(offload::Device& device, Direction direction, HostSide side, Bytes size, int samples);

/// How long a copy of `size` to the device and one to the host take that run at the same time, between pinned memory
/// and two buffers: from the first call to the last return.
std::vector<Time> time_duplex(offload::Device& device, Bytes size, int samples);

}  // namespace isthmus::probes
