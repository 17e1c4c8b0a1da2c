// An OpenCL device that is taken away in the middle, for LD_PRELOAD: on the rank FAILING_RANK (any, if it is not set)
// commands fail from the FAILING_AFTER-th kernel on. Where FAILING_CALL names a call, of the device or of the system's
// shared memory, those fail instead, behind the first FAILING_AFTER. The first FAILING_BUILDS builds are said to have
// failed.
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static int launches;

static int is_this_rank(void) {
  const char* wanted = getenv("FAILING_RANK");
  const char* mine = getenv("OMPI_COMM_WORLD_RANK");
  return wanted == NULL || (mine != NULL && strcmp(wanted, mine) == 0);
}

static int is_gone(void) {
  const char* after = getenv("FAILING_AFTER");
  return after != NULL && getenv("FAILING_CALL") == NULL && is_this_rank() && launches > atoi(after);
}

static int fails(const char* call) {
  static int calls;
  const char* wanted = getenv("FAILING_CALL");
  return wanted != NULL && strcmp(wanted, call) == 0 && is_this_rank() && ++calls > atoi(getenv("FAILING_AFTER"));
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

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device, cl_command_queue_properties properties,
                                      cl_int* code) {
  if (!fails("clCreateCommandQueue")) return REAL(clCreateCommandQueue)(context, device, properties, code);
  *code = CL_OUT_OF_RESOURCES;
  return NULL;
}

// Of memory of the host alone.
cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void* memory, cl_int* code) {
  const int pinned = (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_USE_HOST_PTR)) != 0;
  if (!pinned || !fails("clCreateBuffer")) return REAL(clCreateBuffer)(context, flags, size, memory, code);
  *code = CL_OUT_OF_HOST_MEMORY;
  return NULL;
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                      void(CL_CALLBACK* done)(cl_program, void*), void* of) {
  static int builds;
  const char* failing = getenv("FAILING_BUILDS");
  const cl_int code = REAL(clBuildProgram)(program, count, devices, options, done, of);
  return failing != NULL && ++builds <= atoi(failing) ? CL_BUILD_PROGRAM_FAILURE : code;
}

int shm_open(const char* name, int flags, mode_t mode) {
  if (!fails("shm_open")) return REAL(shm_open)(name, flags, mode);
  errno = EMFILE;
  return -1;
}

int posix_fallocate(int file, off_t offset, off_t size) {
  return fails("posix_fallocate") ? ENOSPC : REAL(posix_fallocate)(file, offset, size);
}
