// What the host does without a command and without an object: it waits.
#include "layer/recorder.hpp"
#include "layer/wrappers.hpp"

namespace isthmus::layer {
namespace {

cl_int CL_API_CALL finish(cl_command_queue queue) {
  return host_call({.kind = Kind::finish, .queue = queue, .blocking = true}, [&] { return driver().clFinish(queue); });
}

cl_int CL_API_CALL flush(cl_command_queue queue) {
  return host_call({.kind = Kind::flush, .queue = queue}, [&] { return driver().clFlush(queue); });
}

cl_int CL_API_CALL wait_for_events(cl_uint count, const cl_event* events) {
  return host_call({.kind = Kind::wait_for_events, .blocking = true, .waits = count},
                   [&] { return driver().clWaitForEvents(count, events); });
}

}  // namespace

void wrap_host_calls(cl_icd_dispatch& table) {
  table.clFinish = finish;
  table.clFlush = flush;
  table.clWaitForEvents = wait_for_events;
}

}  // namespace isthmus::layer
