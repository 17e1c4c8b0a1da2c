#pragma once

#include "isthmus/offload/model.hpp"
#include "isthmus/program/exchange.hpp"
#include "program/run.hpp"

namespace isthmus::program {

/// Runs a job's flow between copies on a modelled machine with these actors beside it, whose messages those are. The
/// run has its setup and the flow's times.
Run run_surrounded(offload::ModelDevice& device, const Job& job, offload::Surroundings& beside, Exchange& messages);

}  // namespace isthmus::program
