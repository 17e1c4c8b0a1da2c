#pragma once

#include "flows/flow.hpp"
#include "isthmus/offload/model.hpp"

namespace isthmus::program {

/// Runs an application whose messages are packets in a flow between copies, on a modelled board whose host has a
/// network: packets come over the line to the host's card and software, over the link to the device and back, and out
/// again (stacc VI-B3, the way of OpenCL).
Run run_packets_through_host(const platform::Description& board, offload::ModelDevice& device, const Flow& flow,
                             const Job& job);

}  // namespace isthmus::program
