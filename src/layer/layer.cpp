// The functions that an OpenCL loader looks for in a layer (opencl-headers, CL/cl_layer.h; newer loaders of Khronos's
// look for the last two).
#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "layer/recorder.hpp"
#include "layer/wrappers.hpp"

namespace isthmus::layer {
namespace {

constexpr std::size_t kFunctions = sizeof(cl_icd_dispatch) / sizeof(void*);

cl_icd_dispatch beneath{};
cl_icd_dispatch own{};

void fill_table() {
  own = beneath;
  wrap_buffers(own);
  wrap_images(own);
  wrap_mappings(own);
  wrap_shared_memory(own);
  wrap_kernels(own);
  wrap_order(own);
  wrap_host_calls(own);
  wrap_objects(own);
  wrap_programs(own);
  wrap_extensions(own);
  wrap_queues(own);
  wrap_events(own);
}

}  // namespace
}  // namespace isthmus::layer

extern "C" {

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t room, void* place, size_t* needed) {
  constexpr cl_layer_api_version kApi = CL_LAYER_API_VERSION_100;
  constexpr char kName[] = "isthmus record";
  const bool api = name == CL_LAYER_API_VERSION;
  if (!api && name != CL_LAYER_NAME) return CL_INVALID_VALUE;
  const void* const value = api ? static_cast<const void*>(&kApi) : kName;
  const size_t size = api ? sizeof kApi : sizeof kName;
  if (needed != nullptr) *needed = size;
  if (place == nullptr) return CL_SUCCESS;
  if (room < size) return CL_INVALID_VALUE;
  std::memcpy(place, value, size);
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint count, const cl_icd_dispatch* target, cl_uint* returned,
                                            const cl_icd_dispatch** table) {
  using namespace isthmus::layer;
  if (target == nullptr || returned == nullptr || table == nullptr) return CL_INVALID_VALUE;
  if (std::getenv("ISTHMUS_RECORD_DIR") == nullptr) return CL_INVALID_OPERATION;
  // An older loader knows fewer functions than there are here and never calls the others.
  const std::size_t known = std::min(std::size_t{count}, kFunctions);
  std::memcpy(static_cast<void*>(&beneath), target, known * sizeof(void*));
  below = &beneath;
  fill_table();
  pthread_atfork([] { recorder().before_fork(); }, [] { recorder().after_fork_in_parent(); },
                 [] { recorder().after_fork_in_child(); });
  recorder().introduce();
  std::atexit([] { journal().ended(); });
  *returned = static_cast<cl_uint>(known);
  *table = &own;
  return CL_SUCCESS;
}

// The headers of 2023 do not declare these two.
CL_API_ENTRY cl_int CL_API_CALL clInitLayerWithProperties(cl_uint count, const cl_icd_dispatch* target,
                                                          cl_uint* returned, const cl_icd_dispatch** table,
                                                          const cl_properties* properties);
CL_API_ENTRY cl_int CL_API_CALL clDeinitLayer();

CL_API_ENTRY cl_int CL_API_CALL clInitLayerWithProperties(cl_uint count, const cl_icd_dispatch* target,
                                                          cl_uint* returned, const cl_icd_dispatch** table,
                                                          const cl_properties* properties) {
  if (properties != nullptr && *properties != 0) return CL_INVALID_PROPERTY;
  return clInitLayer(count, target, returned, table);
}

CL_API_ENTRY cl_int CL_API_CALL clDeinitLayer() {
  isthmus::layer::recorder().leave();
  return CL_SUCCESS;
}
}
