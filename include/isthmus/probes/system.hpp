#pragma once

#include <span>
#include <string>
#include <vector>

#include "isthmus/platform/system.hpp"
#include "isthmus/probes/probe.hpp"

namespace isthmus::probes {

/// The probes of a system of boards: copies, by all boards of a host at once.
std::span<const Probe> system_probes();

/// The request to a probe of a system.
struct SystemJob {
  std::string target;  ///< path of the system file
  std::vector<std::string> overrides;
  std::vector<Bytes> sizes;  ///< sizes of each board's copy
  int samples = 1;
};

/// Finds, at each size and for each host, what all its boards copy together, from the first call to the last return.
/// Parameters: `boards`, `node` where there are several hosts, and `limit` with `limit_key`: of the parts at work the
/// one whose key, at its next faster value, makes a copy (of 4 MiB at most) that much faster that no other part's
/// does; "none" where none gives 2 %. Throws Error where a board has not one wired link, or copies come back changed.
void probe_system(const SystemJob& job, const Probe& probe, const Report& report);

}  // namespace isthmus::probes
