// Commands that only order others: markers, barriers, and the lending of objects by OpenGL.
#include "layer/command.hpp"
#include "layer/wrappers.hpp"

namespace isthmus::layer {
namespace {

cl_int CL_API_CALL marker(cl_command_queue queue, cl_event* event) {
  return enqueue({.kind = Kind::marker, .queue = queue}, event,
                 [&](cl_event* out) { return driver().clEnqueueMarker(queue, out); });
}

// The old barrier and the old wait have no event.
cl_int CL_API_CALL barrier(cl_command_queue queue) {
  return host_call({.kind = Kind::barrier, .queue = queue}, [&] { return driver().clEnqueueBarrier(queue); });
}

cl_int CL_API_CALL wait_list(cl_command_queue queue, cl_uint waits, const cl_event* wait) {
  return host_call({.kind = Kind::wait_list, .queue = queue, .waits = waits},
                   [&] { return driver().clEnqueueWaitForEvents(queue, waits, wait); });
}

}  // namespace

void wrap_order(cl_icd_dispatch& table) {
  table.clEnqueueMarker = marker;
  record<&cl_icd_dispatch::clEnqueueMarkerWithWaitList>(table, kOnly<Kind::marker>);
  record<&cl_icd_dispatch::clEnqueueBarrierWithWaitList>(table, kOnly<Kind::barrier>);
  table.clEnqueueBarrier = barrier;
  table.clEnqueueWaitForEvents = wait_list;
  record<&cl_icd_dispatch::clEnqueueAcquireGLObjects>(table, kOnly<Kind::acquire_gl>);
  record<&cl_icd_dispatch::clEnqueueReleaseGLObjects>(table, kOnly<Kind::release_gl>);
}

}  // namespace isthmus::layer
