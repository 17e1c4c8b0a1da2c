#pragma once

#include "layer/opencl.hpp"

namespace isthmus::layer {

using CreateQueue = cl_command_queue(CL_API_CALL*)(cl_context context, cl_device_id device,
                                                   const cl_queue_properties* properties, cl_int* error);

/// Makes a queue by a function of the driver's, with profiling where the program asks for none.
cl_command_queue create_queue(CreateQueue make, cl_context context, cl_device_id device,
                              const cl_queue_properties* properties, cl_int* error);

}  // namespace isthmus::layer
