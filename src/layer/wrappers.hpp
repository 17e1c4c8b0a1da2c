#pragma once

#include "layer/opencl.hpp"

namespace isthmus::layer {

// Each puts this layer's functions of one kind into the table that the program's calls go through.
void wrap_buffers(cl_icd_dispatch& table);
void wrap_images(cl_icd_dispatch& table);
void wrap_mappings(cl_icd_dispatch& table);
void wrap_shared_memory(cl_icd_dispatch& table);
void wrap_kernels(cl_icd_dispatch& table);
void wrap_order(cl_icd_dispatch& table);
void wrap_host_calls(cl_icd_dispatch& table);
void wrap_objects(cl_icd_dispatch& table);
void wrap_programs(cl_icd_dispatch& table);
void wrap_extensions(cl_icd_dispatch& table);
void wrap_queues(cl_icd_dispatch& table);
void wrap_events(cl_icd_dispatch& table);

}  // namespace isthmus::layer
