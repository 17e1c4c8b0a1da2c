#pragma once

#include "offload/model/specs.hpp"

namespace isthmus::offload::model {

/// How long accesses of the device to host memory take: a machine of its own, a requester at one end of the link and
/// the memory at the other; `spec` has a link. Throws Error where a size cannot be accessed.
HostAccessLatency access_host_memory(const MachineSpec& spec, const HostAccess& access, const RunOrder& order);

}  // namespace isthmus::offload::model
