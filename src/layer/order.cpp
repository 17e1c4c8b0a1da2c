// Commands that only order others: markers, barriers, and the lending of objects by OpenGL.
#include "layer/recorder.hpp"
#include "layer/wrappers.hpp"

namespace isthmus::layer {
namespace {

cl_int CL_API_CALL marker(cl_command_queue queue, cl_event* event) {
  return enqueue({.kind = Kind::marker, .queue = queue}, event,
                 [&](cl_event* out) { return driver().clEnqueueMarker(queue, out); });
}

cl_int CL_API_CALL marker_with_list(cl_command_queue queue, cl_uint waits, const cl_event* wait, cl_event* event) {
  return enqueue({.kind = Kind::marker, .queue = queue, .waits = waits}, event,
                 [&](cl_event* out) { return driver().clEnqueueMarkerWithWaitList(queue, waits, wait, out); });
}

cl_int CL_API_CALL barrier_with_list(cl_command_queue queue, cl_uint waits, const cl_event* wait, cl_event* event) {
  return enqueue({.kind = Kind::barrier, .queue = queue, .waits = waits}, event,
                 [&](cl_event* out) { return driver().clEnqueueBarrierWithWaitList(queue, waits, wait, out); });
}

// The old barrier and the old wait have no event.
cl_int CL_API_CALL barrier(cl_command_queue queue) {
  return host_call({.kind = Kind::barrier, .queue = queue}, [&] { return driver().clEnqueueBarrier(queue); });
}

cl_int CL_API_CALL wait_list(cl_command_queue queue, cl_uint waits, const cl_event* wait) {
  return host_call({.kind = Kind::wait_list, .queue = queue, .waits = waits},
                   [&] { return driver().clEnqueueWaitForEvents(queue, waits, wait); });
}

cl_int CL_API_CALL acquire_gl(cl_command_queue queue, cl_uint count, const cl_mem* objects, cl_uint waits,
                              const cl_event* wait, cl_event* event) {
  return enqueue({.kind = Kind::acquire_gl, .queue = queue, .waits = waits}, event, [&](cl_event* out) {
    return driver().clEnqueueAcquireGLObjects(queue, count, objects, waits, wait, out);
  });
}

cl_int CL_API_CALL release_gl(cl_command_queue queue, cl_uint count, const cl_mem* objects, cl_uint waits,
                              const cl_event* wait, cl_event* event) {
  return enqueue({.kind = Kind::release_gl, .queue = queue, .waits = waits}, event, [&](cl_event* out) {
    return driver().clEnqueueReleaseGLObjects(queue, count, objects, waits, wait, out);
  });
}

}  // namespace

void wrap_order(cl_icd_dispatch& table) {
  table.clEnqueueMarker = marker;
  table.clEnqueueMarkerWithWaitList = marker_with_list;
  table.clEnqueueBarrierWithWaitList = barrier_with_list;
  table.clEnqueueBarrier = barrier;
  table.clEnqueueWaitForEvents = wait_list;
  table.clEnqueueAcquireGLObjects = acquire_gl;
  table.clEnqueueReleaseGLObjects = release_gl;
}

}  // namespace isthmus::layer
