#pragma once

#include "isthmus/hpcc/run.hpp"

/// What a request means on a device.
namespace isthmus::hpcc {

/// Throws Error with the nearest name for one that no benchmark has.
const Entry& entry_of(const std::string& name);

/// Throws Error for a word that the request may not have.
Setting setting_of(const Request& request, const offload::ComputeProperties& device, int ranks);

}  // namespace isthmus::hpcc
