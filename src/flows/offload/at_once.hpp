#pragma once

#include <memory>
#include <string>

#include "flows/flow.hpp"
#include "isthmus/offload/model.hpp"

namespace isthmus::program {

/// Opens a modelled board over one of its links (`channel`; empty: all) with the kernel, observer and schedule of a
/// job.
std::unique_ptr<offload::ModelDevice> open_device(const platform::Description& board, const std::string& channel,
                                                  const Job& job, Grain grain);

/// Runs a job in a flow between copies that has several messages under way at once, on a modelled board over one of its
/// links (`channel`; empty: all). Coarse, two short runs of a steady application are run finely for what a long one
/// takes, and all other messages pass the device one after another, for their bytes; a run that is short itself, does
/// not become steady, or is observed, is run finely.
BoardRun run_at_once(const platform::Description& board, const std::string& channel, const Flow& flow, const Job& job);

}  // namespace isthmus::program
