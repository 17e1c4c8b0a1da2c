// Events of a queue whose times the program did not ask for tell it none; one that it sees complete is looked at here
// too.
#include "layer/information.hpp"
#include "layer/recorder.hpp"
#include "layer/wrappers.hpp"

namespace isthmus::layer {
namespace {

cl_int CL_API_CALL profile(cl_event event, cl_profiling_info name, size_t room, void* place, size_t* needed) {
  const auto queue = information<cl_command_queue>(driver().clGetEventInfo, event, CL_EVENT_COMMAND_QUEUE, nullptr);
  if (queue != nullptr && recorder().queue(queue).forced) return CL_PROFILING_INFO_NOT_AVAILABLE;
  return driver().clGetEventProfilingInfo(event, name, room, place, needed);
}

cl_int CL_API_CALL inform(cl_event event, cl_event_info name, size_t room, void* place, size_t* needed) {
  const cl_int result = driver().clGetEventInfo(event, name, room, place, needed);
  if (result != CL_SUCCESS || name != CL_EVENT_COMMAND_EXECUTION_STATUS || place == nullptr) return result;
  if (*static_cast<const cl_int*>(place) > CL_COMPLETE) return result;
  recorder().look_at_the_complete(
      information<cl_command_queue>(driver().clGetEventInfo, event, CL_EVENT_COMMAND_QUEUE, nullptr));
  return result;
}

}  // namespace

void wrap_events(cl_icd_dispatch& table) {
  table.clGetEventProfilingInfo = profile;
  table.clGetEventInfo = inform;
}

}  // namespace isthmus::layer
