#pragma once

#include "isthmus/offload/kernel_model.hpp"

namespace isthmus::apps {

/// The modelled twin of kernels/image_filter.cl: 16 pixels a cycle, the image streamed through AXI ports, rows and
/// coefficients in on-chip memory (stacc VI-B1).
offload::KernelModel image_filter_kernel();

}  // namespace isthmus::apps
