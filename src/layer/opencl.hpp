#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>
#include <CL/cl_layer.h>

namespace isthmus::layer {

/// What stands below this layer: the driver's functions, as the loader hands them down.
inline const cl_icd_dispatch* below = nullptr;

inline const cl_icd_dispatch& driver() {
  return *below;
}

}  // namespace isthmus::layer
