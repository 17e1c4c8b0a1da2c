#pragma once

#include "isthmus/hpcc/run.hpp"

/// Kernels that are compiled before they run: for devices that do not compile themselves, or to save the time.
namespace isthmus::hpcc {

/// What kernels are compiled with.
struct Compilation {
  RunConditions conditions;
  std::vector<ParameterSpec> parameters;
  std::string kernel_file{};  ///< empty where nothing was compiled
};

/// A target of requests: an FPGA board that is not here, whose tools compile.
inline constexpr const char* kBoard = "board";

/// The parameters of a request, on its device or on a board, without compiling anything.
Compilation parameters_of(const Request& request);

/// Compiles the kernels of a request for its device and writes what the driver made of them to the file `binary`.
Compilation compile(const Request& request, const std::string& binary);

}  // namespace isthmus::hpcc
