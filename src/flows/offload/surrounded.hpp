#pragma once

#include "flows/flow.hpp"
#include "isthmus/offload/model.hpp"

namespace isthmus::program {

/// Runs a job in a flow between copies on a modelled machine with these actors beside it, whose messages those are. The
/// run has its setup and the flow's times.
Run run_surrounded(offload::ModelDevice& device, const Flow& flow, const Job& job, offload::Surroundings& beside,
                   Exchange& messages);

}  // namespace isthmus::program
