#pragma once

#include "isthmus/hpcc/benchmark.hpp"

/// What each benchmark gives to the table of all.cpp: its parameters on a device, what they need there, and how it is
/// set up. Making one checks what it needs.
namespace isthmus::hpcc {

std::vector<ParameterSpec> stream_parameters(const Setting& setting);
Needs stream_needs(const Job& job);
std::unique_ptr<Benchmark> make_stream(Job& job);

std::vector<ParameterSpec> fft_parameters(const Setting& setting);
Needs fft_needs(const Job& job);
std::unique_ptr<Benchmark> make_fft(Job& job);

std::vector<ParameterSpec> gemm_parameters(const Setting& setting);
Needs gemm_needs(const Job& job);
/// In a row of the block in registers.
std::size_t gemm_columns(const Job& job);
std::unique_ptr<Benchmark> make_gemm(Job& job);

std::vector<ParameterSpec> hpl_parameters(const Setting& setting);
Needs hpl_needs(const Job& job);
std::unique_ptr<Benchmark> make_hpl(Job& job);

std::vector<ParameterSpec> random_access_parameters(const Setting& setting);
Needs random_access_needs(const Job& job);
std::unique_ptr<Benchmark> make_random_access(Job& job);

std::vector<ParameterSpec> ptrans_parameters(const Setting& setting);
Needs ptrans_needs(const Job& job);
std::unique_ptr<Benchmark> make_ptrans(Job& job);

std::vector<ParameterSpec> b_eff_parameters(const Setting& setting);
Needs b_eff_needs(const Job& job);
std::unique_ptr<Benchmark> make_b_eff(Job& job);

}  // namespace isthmus::hpcc
