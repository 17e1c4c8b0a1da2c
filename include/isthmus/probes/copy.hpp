#pragma once

#include <memory>

#include "isthmus/base/units.hpp"
#include "isthmus/offload/device.hpp"
#include "isthmus/probes/sampler.hpp"

namespace isthmus::probes {

enum class Direction { to_device, to_host };

/// The host memory that a copy reads or writes (choi2019 3.2.1).
enum class HostSide {
  pinned,    ///< memory that the device reaches
  pageable,  ///< staging buffers that the runtime keeps
  fresh,     ///< a staging buffer that is allocated for this copy
};

/// The time of blocking copies of `size`, from call to return; `fresh` ones from the allocation of their buffer on.
/// Bytes that come back are compared with those that went.
std::unique_ptr<Sampler> copies(offload::Device& device, Direction direction, HostSide side, Bytes size);

/// How long a copy of `size` to the device and one to the host take that run at the same time, between pinned memory
/// and two buffers: from the first call to the last return.
std::unique_ptr<Sampler> duplex_copies(offload::Device& device, Bytes size);

}  // namespace isthmus::probes
