// cl_khr_command_buffer: a command buffer is one command, whatever is in it. What records into one is named in the
// record and not wrapped: versions of the extension differ in its arguments.
#include <mutex>
#include <new>
#include <unordered_map>

#include "layer/extension_functions.hpp"
#include "layer/recorder.hpp"

namespace isthmus::layer {
namespace {

FunctionBeneath<clCreateCommandBufferKHR_fn> create_beneath;
FunctionBeneath<clEnqueueCommandBufferKHR_fn> enqueue_beneath;

/// The queue that each command buffer was made for; one that there is no memory for is not recorded.
class Made {
 public:
  void add(cl_command_buffer_khr buffer, cl_command_queue queue) {
    const std::lock_guard guard(lock_);
    try {
      queues_[buffer] = queue;
    } catch (const std::bad_alloc&) {
      queues_.erase(buffer);
    }
  }
  cl_command_queue queue_of(cl_command_buffer_khr buffer) {
    const std::lock_guard guard(lock_);
    const auto found = queues_.find(buffer);
    return found != queues_.end() ? found->second : nullptr;
  }

 private:
  std::mutex lock_;
  std::unordered_map<cl_command_buffer_khr, cl_command_queue> queues_;
};

/// Never destroyed, as journal().
Made& made() {
  static auto* const only = new Made;
  return *only;
}

cl_command_buffer_khr CL_API_CALL create_command_buffer(cl_uint count, const cl_command_queue* queues,
                                                        const cl_command_buffer_properties_khr* properties,
                                                        cl_int* error) {
  cl_command_queue first = count > 0 && queues != nullptr ? queues[0] : nullptr;
  const auto buffer = create_beneath.of_platform_of(first)(count, queues, properties, error);
  if (buffer != nullptr) made().add(buffer, first);
  return buffer;
}

cl_int CL_API_CALL enqueue_command_buffer(cl_uint count, cl_command_queue* queues, cl_command_buffer_khr buffer,
                                          cl_uint waits, const cl_event* wait, cl_event* event) {
  cl_command_queue first = count > 0 && queues != nullptr ? queues[0] : made().queue_of(buffer);
  const auto run = [&](cl_event* out) {
    return enqueue_beneath.of_platform_of(first)(count, queues, buffer, waits, wait, out);
  };
  if (first == nullptr) return run(event);
  return enqueue({.kind = Kind::command_buffer, .queue = first, .waits = waits}, event, run);
}

}  // namespace

std::span<const Wrapped> command_buffer_functions() {
  static const std::array all{
      Wrapped{"clCreateCommandBufferKHR", &create_beneath, reinterpret_cast<void*>(create_command_buffer)},
      Wrapped{"clEnqueueCommandBufferKHR", &enqueue_beneath, reinterpret_cast<void*>(enqueue_command_buffer)},
  };
  return all;
}

}  // namespace isthmus::layer
