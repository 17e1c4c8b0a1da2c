#pragma once

#include <vector>

#include "isthmus/engine/report.hpp"
#include "isthmus/platform/part.hpp"
#include "offload/model/host_thread.hpp"
#include "offload/model/machine.hpp"
#include "offload/model/specs.hpp"

namespace isthmus::offload::model {

/// A run that has ended.
struct EndedRun {
  const MachineSpec& spec;
  const std::vector<HostThread>& threads;
  const RunContext& context;
  const Machine& machine;
  const RunReport& report;
};

/// Splits the critical path by part: the chain of commands that lasted as long as the run, of which each began when the
/// one before had ended or, after that, when its host thread enqueued it. Each command's time on the device goes to the
/// slowest part on its way, the remainder to waiting for memory.
std::vector<platform::Held> critical_path(const EndedRun& run);

}  // namespace isthmus::offload::model
