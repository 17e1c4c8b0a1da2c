#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "isthmus/hpcc/parameters.hpp"
#include "isthmus/offload/device.hpp"

namespace isthmus::hpcc {

/// What a device's binary was compiled with. A binary does not say it itself, so the file BINARY.json beside it does;
/// `isthmus hpcc build` writes it.
struct SideFile {
  std::string file;
  std::string benchmark;
  std::string tool;     ///< "xrt", "intel" or "opencl"
  std::string variant;  ///< "single" or "ndrange"
  std::string shape;    ///< of ND-range kernels: "cpu", "gpu" or empty
  std::string device;   ///< the device's name, or a part of it
  std::string driver;   ///< empty: any
  std::map<std::string, std::string> parameters{};
  std::vector<std::string> replicated;  ///< kernels of which there are NUM_REPLICATIONS, each of its own

  std::string memory{};  ///< of the board: "DDR", "HBM" or "SVM"; empty: the driver's
  std::map<std::string, std::vector<std::uint32_t>> banks{};  ///< of each argument, for each replication

  /// Reads the side file of a binary; throws Error where it is missing or not one.
  static SideFile beside(const std::string& binary);

  /// Throws Error unless the binary is one of `wanted` for such a device.
  void require(const std::string& wanted, const offload::DeviceProperties& its) const;

  /// NAME=VALUE of each parameter, then `overrides`. Throws Error for one of them that contradicts what was compiled
  /// in, and for a parameter of the kernels that the side file does not have.
  std::vector<std::string> overrides(const std::vector<ParameterSpec>& specs,
                                     const std::vector<std::string>& overrides) const;

  /// How the driver knows the `replica`th copy of a kernel, from 0. Replicated kernels are NAME_0, NAME_1, ...: to XRT
  /// compute units of one kernel, to Intel's driver kernels.
  std::string kernel_name(const std::string& kernel, std::size_t replica) const;

  /// The place of the buffer that the `replica`th copy of a kernel takes as its argument `name`, the `index`th.
  offload::MemoryBank bank(const offload::Kernel& kernel, std::uint32_t index, const std::string& name,
                           std::size_t replica) const;
};

}  // namespace isthmus::hpcc
