#include "layer/queues.hpp"

#include <utility>

#include "layer/information.hpp"
#include "layer/journal.hpp"

namespace isthmus::layer {

void Queues::made(cl_command_queue handle, const Queue& seen) {
  Queue& queue = queues_[handle];
  // Commands of a queue that had this handle may still be under way.
  std::deque<Pending> pending = std::move(queue.pending);
  queue = seen;
  queue.pending = std::move(pending);
  queue.id = ++last_;
  const auto device = information<cl_device_id>(driver().clGetCommandQueueInfo, handle, CL_QUEUE_DEVICE, nullptr);
  queue.timer_resolution =
      information<std::size_t>(driver().clGetDeviceInfo, device, CL_DEVICE_PROFILING_TIMER_RESOLUTION, std::size_t{0});
  devices_[queue.id] = device;
}

Queue& Queues::find(cl_command_queue handle) {
  const auto found = queues_.find(handle);
  if (found != queues_.end()) return found->second;
  const auto properties = information<cl_command_queue_properties>(driver().clGetCommandQueueInfo, handle,
                                                                   CL_QUEUE_PROPERTIES, cl_command_queue_properties{0});
  made(handle, Queue{.properties = properties});
  return queues_.find(handle)->second;
}

Queue* Queues::known(cl_command_queue handle) {
  const auto found = queues_.find(handle);
  return found != queues_.end() ? &found->second : nullptr;
}

void Queues::introduce(Queue& queue) {
  if (queue.written_in == journal().generation()) return;
  queue.written_in = journal().generation();
  queue.device = names_.device(devices_[queue.id]);
  journal().append<QueueSlot>(SlotType::queue, [&](QueueSlot& slot) {
    slot.forced = queue.forced ? 1 : 0;
    slot.id = queue.id;
    slot.device = queue.device;
    slot.properties = queue.properties;
    slot.timer_resolution = queue.timer_resolution;
  });
}

}  // namespace isthmus::layer
