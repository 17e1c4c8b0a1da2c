#pragma once

#include "program/native.hpp"

namespace isthmus::program {

/// Runs an application on threads whose messages are packets, in memory of this machine: they lie there before the
/// measured time, a batch after the other, and are compared after it.
NativeRun run_packets_in_memory(const Job& job);

}  // namespace isthmus::program
