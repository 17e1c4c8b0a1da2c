#pragma once

#include <cstddef>
#include <string>

#include "isthmus/hpcc/benchmark.hpp"

/// The conditions of benchmarks on their parameters before they set anything up. Each throws Error with one line that
/// names the parameter, its value and what was expected.
namespace isthmus::hpcc {

std::size_t integer(const Job& job, const char* name);
/// "NAME=VALUE".
std::string with_value(const Job& job, const char* name);

/// What the kernels keep in local memory must fit the device; `name` is the parameter that decides.
void require_local_memory(const Job& job, const char* name, std::size_t bytes);
/// All buffers together must fit the device; `name` is the parameter that decides. Returns their bytes.
std::size_t require_memory(const Job& job, const char* name, std::size_t bytes);

}  // namespace isthmus::hpcc
