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

/// What each part holds of the chain of commands that lasted as long as the run: each of them began when the one before
/// had ended or, after that, when its host thread enqueued it. Of what a command spends on the device, the slowest part
/// that its data pass holds what it works; if that is less, the rest is waiting for memory that others use.
std::vector<platform::Held> critical_path(const EndedRun& run);

}  // namespace isthmus::offload::model
