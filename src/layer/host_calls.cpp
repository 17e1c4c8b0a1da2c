// What the host does without a command and without an object: it waits.
#include "layer/command.hpp"
#include "layer/wrappers.hpp"

namespace isthmus::layer {

void wrap_host_calls(cl_icd_dispatch& table) {
  record<&cl_icd_dispatch::clFinish, HostCall>(table, [](cl_command_queue queue) {
    return RecordedCall{.kind = Kind::finish, .queue = queue, .blocking = true};
  });
  record<&cl_icd_dispatch::clFlush, HostCall>(
      table, [](cl_command_queue queue) { return RecordedCall{.kind = Kind::flush, .queue = queue}; });
  record<&cl_icd_dispatch::clWaitForEvents, HostCall>(table, [](cl_uint count, const cl_event*) {
    return RecordedCall{.kind = Kind::wait_for_events, .blocking = true, .waits = count};
  });
}

}  // namespace isthmus::layer
