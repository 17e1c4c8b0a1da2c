#pragma once

#include "isthmus/hpcc/benchmark.hpp"

/// The parameters of HPL, and what they need.
namespace isthmus::hpcc {

std::vector<ParameterSpec> hpl_parameters(const RunConditions& conditions);
/// Throws Error for parameters that do not go together or do not fit the device.
Needs hpl_needs(const Job& job);

}  // namespace isthmus::hpcc
