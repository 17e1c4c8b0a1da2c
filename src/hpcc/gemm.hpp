#pragma once

#include "isthmus/hpcc/benchmark.hpp"

/// The parameters of GEMM, and what they need.
namespace isthmus::hpcc {

std::vector<ParameterSpec> gemm_parameters(const RunConditions& conditions);
/// Throws Error for parameters that do not go together or do not fit the device.
Needs gemm_needs(const Job& job);
/// In a row of the block in registers.
std::size_t gemm_columns(const Job& job);

}  // namespace isthmus::hpcc
