#pragma once

#include <array>
#include <string_view>

#include "flows/flow.hpp"

/// Flows between copies to and from a device's memory, written once for every back end of the offload interface.
namespace isthmus::program {

/// The needs of copies of messages and a kernel between them.
inline constexpr std::array<std::string_view, 9> kBetweenCopies = {"pcie", "memory", "cores", "call",  "mmio",
                                                                   "dma",  "dram",   "axi",   "kernel"};

/// Copy in, kernel, copy out, one after the other, by one host thread or by several that share the device.
Flow offload_flow();
/// Copies of two messages under way beside the kernel of a third.
Flow overlap_flow();

}  // namespace isthmus::program
