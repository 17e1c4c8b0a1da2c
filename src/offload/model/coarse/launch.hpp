#pragma once

#include <cstdint>

#include "offload/model/machine.hpp"

namespace isthmus::offload::model {

/// Runs a kernel's actor on the board's memory, whose ports answer at once. Returns the bytes that passed them in the
/// direction in which more do. Throws Error where the kernel does.
std::uint64_t launch_at_once(const Loaded& loaded, std::size_t kernel, const fabric::KernelCall& call);

}  // namespace isthmus::offload::model
