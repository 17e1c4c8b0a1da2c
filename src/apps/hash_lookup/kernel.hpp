#pragma once

#include "isthmus/offload/kernel_model.hpp"

namespace isthmus::apps {

/// The twin of kernels/hash_lookup.cl: one access under way (stacc algorithm 1).
offload::KernelModel hash_lookup_kernel();

}  // namespace isthmus::apps
