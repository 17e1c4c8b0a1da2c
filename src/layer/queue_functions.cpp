// Queues keep their times whether the program asked for them or not, and the program sees what it asked for.
#include "layer/queue_functions.hpp"

#include <cstring>
#include <vector>

#include "layer/recorder.hpp"
#include "layer/wrappers.hpp"

namespace isthmus::layer {
namespace {

constexpr cl_command_queue_properties kProfiling = CL_QUEUE_PROFILING_ENABLE;

/// The answer to a query as OpenCL gives it.
cl_int answer(const void* value, size_t size, size_t room, void* place, size_t* needed) {
  if (needed != nullptr) *needed = size;
  if (place == nullptr || size == 0) return CL_SUCCESS;
  if (room < size) return CL_INVALID_VALUE;
  std::memcpy(place, value, size);
  return CL_SUCCESS;
}

cl_command_queue CL_API_CALL create(cl_context context, cl_device_id device, cl_command_queue_properties properties,
                                    cl_int* error) {
  cl_command_queue queue = driver().clCreateCommandQueue(context, device, properties | kProfiling, error);
  bool forced = (properties & kProfiling) == 0;
  if (queue == nullptr && forced) {
    forced = false;
    queue = driver().clCreateCommandQueue(context, device, properties, error);
  }
  if (queue != nullptr) recorder().queue_made(queue, {.properties = properties, .forced = forced});
  return queue;
}

struct List {
  std::vector<cl_queue_properties> asked;     // by the program, with the 0 at its end
  std::vector<cl_queue_properties> profiled;  // the same with profiling
  cl_command_queue_properties properties = 0;
};

List read(const cl_queue_properties* list) {
  List found;
  bool told = false;
  for (; list != nullptr && list[0] != 0; list += 2) {
    found.asked.insert(found.asked.end(), {list[0], list[1]});
    const bool properties = list[0] == CL_QUEUE_PROPERTIES;
    if (properties) found.properties = list[1];
    told = told || properties;
    found.profiled.insert(found.profiled.end(), {list[0], properties ? list[1] | kProfiling : list[1]});
  }
  if (!told) found.profiled.insert(found.profiled.begin(), {CL_QUEUE_PROPERTIES, kProfiling});
  found.asked.push_back(0);
  found.profiled.push_back(0);
  return found;
}

}  // namespace

cl_command_queue create_queue(CreateQueue make, cl_context context, cl_device_id device,
                              const cl_queue_properties* properties, cl_int* error) {
  const List list = read(properties);
  // A queue on the device is no queue of the host's commands.
  bool forced = (list.properties & (kProfiling | CL_QUEUE_ON_DEVICE)) == 0;
  cl_command_queue queue = make(context, device, forced ? list.profiled.data() : properties, error);
  if (queue == nullptr && forced) {
    forced = false;
    queue = make(context, device, properties, error);
  }
  if (queue == nullptr) return nullptr;
  Queue seen{.properties = list.properties, .forced = forced, .told_by_list = true};
  if (properties != nullptr) seen.list = list.asked;
  recorder().queue_made(queue, seen);
  return queue;
}

namespace {

cl_command_queue CL_API_CALL create_with_properties(cl_context context, cl_device_id device,
                                                    const cl_queue_properties* properties, cl_int* error) {
  return create_queue(driver().clCreateCommandQueueWithProperties, context, device, properties, error);
}

cl_int CL_API_CALL information(cl_command_queue handle, cl_command_queue_info name, size_t room, void* place,
                               size_t* needed) {
  const cl_int result = driver().clGetCommandQueueInfo(handle, name, room, place, needed);
  if (name != CL_QUEUE_PROPERTIES && name != CL_QUEUE_PROPERTIES_ARRAY) return result;
  // A list with profiling is longer than the program's own and may not fit.
  const bool fits = result == CL_SUCCESS || (result == CL_INVALID_VALUE && name == CL_QUEUE_PROPERTIES_ARRAY);
  if (!fits || driver().clGetCommandQueueInfo(handle, name, 0, nullptr, nullptr) != CL_SUCCESS) return result;
  const Queue queue = recorder().queue(handle);
  if (!queue.forced) return result;
  if (name == CL_QUEUE_PROPERTIES) return answer(&queue.properties, sizeof queue.properties, room, place, needed);
  if (!queue.told_by_list) return result;
  return answer(queue.list.data(), queue.list.size() * sizeof(cl_queue_properties), room, place, needed);
}

cl_int CL_API_CALL set_property(cl_command_queue handle, cl_command_queue_properties properties, cl_bool enable,
                                cl_command_queue_properties* old) {
  const Queue queue = recorder().queue(handle);
  const cl_command_queue_properties asked = enable != 0 ? properties | kProfiling : properties & ~kProfiling;
  const cl_int result = driver().clSetCommandQueueProperty(handle, asked, enable, nullptr);
  if (result != CL_SUCCESS) return result;
  if (old != nullptr) *old = queue.properties;
  const cl_command_queue_properties now = enable != 0 ? queue.properties | properties : queue.properties & ~properties;
  recorder().set_queue_properties(handle, now, (now & kProfiling) == 0);
  return result;
}

// On release, reads the times of completed commands: no later call may come.
cl_int CL_API_CALL release(cl_command_queue queue) {
  recorder().look_at_the_complete(queue);
  return driver().clReleaseCommandQueue(queue);
}

cl_int CL_API_CALL release_context(cl_context context) {
  recorder().settle_all();
  return driver().clReleaseContext(context);
}

}  // namespace

void wrap_queues(cl_icd_dispatch& table) {
  table.clCreateCommandQueue = create;
  table.clCreateCommandQueueWithProperties = create_with_properties;
  table.clGetCommandQueueInfo = information;
  table.clSetCommandQueueProperty = set_property;
  table.clReleaseCommandQueue = release;
  table.clReleaseContext = release_context;
}

}  // namespace isthmus::layer
