#pragma once

#include "isthmus/offload/kernel_model.hpp"

namespace isthmus::apps {

/// The twin of kernels/packet_encryption.cl on a modelled board: the same two engines as the streaming kernel has, each
/// a block of 128 bit a cycle, on slots in the device's memory.
offload::KernelModel packet_encryption_kernel();

}  // namespace isthmus::apps
