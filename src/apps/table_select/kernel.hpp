#pragma once

#include "isthmus/offload/kernel_model.hpp"

namespace isthmus::apps {

/// The twin of kernels/table_select.cl.
offload::KernelModel table_select_kernel();

}  // namespace isthmus::apps
