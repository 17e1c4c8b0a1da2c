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
constexpr auto kBarrier = [](cl_command_queue queue) { return RecordedCall{.kind = Kind::barrier, .queue = queue}; };
constexpr auto kWait = [](cl_command_queue queue, cl_uint waits, const cl_event*) {
  return RecordedCall{.kind = Kind::wait_list, .queue = queue, .waits = waits};
};

}  // namespace

void wrap_order(cl_icd_dispatch& table) {
  table.clEnqueueMarker = marker;
  record<&cl_icd_dispatch::clEnqueueMarkerWithWaitList>(table, kOnly<Kind::marker>);
  record<&cl_icd_dispatch::clEnqueueBarrierWithWaitList>(table, kOnly<Kind::barrier>);
  record<&cl_icd_dispatch::clEnqueueBarrier, HostCall>(table, kBarrier);
  record<&cl_icd_dispatch::clEnqueueWaitForEvents, HostCall>(table, kWait);
  record<&cl_icd_dispatch::clEnqueueAcquireGLObjects>(table, kOnly<Kind::acquire_gl>);
  record<&cl_icd_dispatch::clEnqueueReleaseGLObjects>(table, kOnly<Kind::release_gl>);
}

}  // namespace isthmus::layer
