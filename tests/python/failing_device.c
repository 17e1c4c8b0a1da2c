// An OpenCL device that is taken away in the middle, for LD_PRELOAD: on the rank FAILING_RANK (any, if it is not set)
// commands fail from the FAILING_AFTER-th kernel on.
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static int launches;

static int is_gone(void) {
  const char* wanted = getenv("FAILING_RANK");
  const char* mine = getenv("OMPI_COMM_WORLD_RANK");
  if (wanted != NULL && (mine == NULL || strcmp(wanted, mine) != 0)) return 0;
  return launches > atoi(getenv("FAILING_AFTER"));
}

#define REAL(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* offset,
                              const size_t* global, const size_t* local, cl_uint count, const cl_event* list,
                              cl_event* event) {
  ++launches;
  if (is_gone()) return CL_DEVICE_NOT_AVAILABLE;
  return REAL(clEnqueueNDRangeKernel)(queue, kernel, dimensions, offset, global, local, count, list, event);
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
                           void* to, cl_uint count, const cl_event* list, cl_event* event) {
  if (is_gone()) return CL_DEVICE_NOT_AVAILABLE;
  return REAL(clEnqueueReadBuffer)(queue, buffer, blocking, offset, size, to, count, list, event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
                            const void* from, cl_uint count, const cl_event* list, cl_event* event) {
  if (is_gone()) return CL_DEVICE_NOT_AVAILABLE;
  return REAL(clEnqueueWriteBuffer)(queue, buffer, blocking, offset, size, from, count, list, event);
}

cl_int clFinish(cl_command_queue queue) {
  return is_gone() ? CL_DEVICE_NOT_AVAILABLE : REAL(clFinish)(queue);
}
