#pragma once

#include <array>
#include <string_view>

/// The needs of the uses of a modelled board, as kinds of parts (src/platform/kinds).
namespace isthmus::offload::needs {

inline constexpr std::array<std::string_view, 3> kRegisters = {"pcie", "memory", "mmio"};
inline constexpr std::array<std::string_view, 2> kHostAccess = {"pcie", "memory"};
/// Host threads with their runtime, and registers of the device that they reach.
inline constexpr std::array<std::string_view, 3> kHost = {"cores", "call", "mmio"};
inline constexpr std::array<std::string_view, 2> kDeviceMemory = {"dram", "axi"};
inline constexpr std::array<std::string_view, 8> kCopies = {"pcie", "memory", "cores", "call",
                                                            "mmio", "dma",    "dram",  "axi"};
inline constexpr std::array<std::string_view, 4> kLaunches = {"cores", "call", "mmio", "kernel"};
/// Kernels that work on the device's memory.
inline constexpr std::array<std::string_view, 6> kKernels = {"cores", "call", "mmio", "kernel", "dram", "axi"};

}  // namespace isthmus::offload::needs
