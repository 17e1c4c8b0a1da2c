#pragma once

#include "isthmus/hpcc/run.hpp"

/// The meaning of a request on a device.
namespace isthmus::hpcc {

/// Throws Error with the nearest name for one that no benchmark has.
const Entry& entry_of(const std::string& name);

/// How often a standard working set of `bytes` on one rank is multiplied by `factor` until it is four times the
/// last-level caches, from which on memory sets the rate; while an eighth of the memory has room for it.
int growth_of(const RunConditions& conditions, double bytes, int factor = 2);

/// Throws Error for a word that the request may not have.
RunConditions conditions_of(const Request& request, const offload::DeviceProperties& device, int ranks);

}  // namespace isthmus::hpcc
