#pragma once

#include "application/run.hpp"
#include "isthmus/application/exchange.hpp"

namespace isthmus::program {

/// Sends the words of every launch of every message of `job` through its application's datapath, without a memory that
/// takes time: the bytes of the output, not the times. Throws Interrupted after Ctrl-C.
void compute_in_place(const Job& job, Exchange& messages);

}  // namespace isthmus::program
