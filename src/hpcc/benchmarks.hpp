#pragma once

#include "isthmus/hpcc/benchmark.hpp"

/// What each benchmark gives to the table of all.cpp: its parameters on a device, and how it is set up.
namespace isthmus::hpcc {

std::vector<ParameterSpec> stream_parameters(const Setting& setting);
std::unique_ptr<Benchmark> make_stream(Job& job);

std::vector<ParameterSpec> fft_parameters(const Setting& setting);
std::unique_ptr<Benchmark> make_fft(Job& job);

std::vector<ParameterSpec> gemm_parameters(const Setting& setting);
/// Throws Error for parameters that do not go together or do not fit the device.
void check_gemm(const Job& job);
/// In a row of the block in registers.
std::size_t gemm_columns(const Job& job);
std::unique_ptr<Benchmark> make_gemm(Job& job);

std::vector<ParameterSpec> hpl_parameters(const Setting& setting);
/// Throws Error for parameters that do not go together or do not fit the device.
void check_hpl(const Job& job);
std::unique_ptr<Benchmark> make_hpl(Job& job);

std::vector<ParameterSpec> random_access_parameters(const Setting& setting);
std::unique_ptr<Benchmark> make_random_access(Job& job);

std::vector<ParameterSpec> ptrans_parameters(const Setting& setting);
std::unique_ptr<Benchmark> make_ptrans(Job& job);

std::vector<ParameterSpec> b_eff_parameters(const Setting& setting);
std::unique_ptr<Benchmark> make_b_eff(Job& job);

}  // namespace isthmus::hpcc
