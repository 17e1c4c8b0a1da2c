#pragma once

#include "isthmus/hpcc/benchmark.hpp"

/// What HPL may be asked for, and what that takes.
namespace isthmus::hpcc {

std::vector<ParameterSpec> hpl_parameters(const RunConditions& conditions);
/// Throws Error for parameters that do not go together or do not fit the device.
Needs hpl_needs(const Job& job);

}  // namespace isthmus::hpcc
