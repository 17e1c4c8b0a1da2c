#pragma once

#include "isthmus/hpcc/benchmark.hpp"

/// What each benchmark gives to the table of all.cpp: its parameters on a device, and how it is set up.
namespace isthmus::hpcc {

std::vector<ParameterSpec> stream_parameters(const Setting& setting);
std::unique_ptr<Benchmark> make_stream(Job& job);

}  // namespace isthmus::hpcc
