// What the host does without a command: it waits, builds, and makes buffers that have their content from the start.
#include "layer/image_size.hpp"
#include "layer/recorder.hpp"
#include "layer/wrappers.hpp"

namespace isthmus::layer {
namespace {

using Built = void(CL_CALLBACK*)(cl_program program, void* data);

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

cl_int CL_API_CALL build(cl_program program, cl_uint devices, const cl_device_id* list, const char* options,
                         Built notify, void* data) {
  return host_call({.kind = Kind::build},
                   [&] { return driver().clBuildProgram(program, devices, list, options, notify, data); });
}

cl_int CL_API_CALL compile(cl_program program, cl_uint devices, const cl_device_id* list, const char* options,
                           cl_uint headers, const cl_program* programs, const char** names, Built notify, void* data) {
  return host_call({.kind = Kind::compile}, [&] {
    return driver().clCompileProgram(program, devices, list, options, headers, programs, names, notify, data);
  });
}

cl_program CL_API_CALL link(cl_context context, cl_uint devices, const cl_device_id* list, const char* options,
                            cl_uint inputs, const cl_program* programs, Built notify, void* data, cl_int* error) {
  cl_program linked = nullptr;
  const cl_int result = host_call({.kind = Kind::link}, [&] {
    cl_int failure = CL_SUCCESS;
    linked = driver().clLinkProgram(context, devices, list, options, inputs, programs, notify, data, &failure);
    return failure;
  });
  if (error != nullptr) *error = result;
  return linked;
}

/// Makes an object by `run(error)`; written down if its content comes from the host.
template <class Run, class Bytes>
cl_mem create(Kind kind, cl_mem_flags flags, cl_int* error, const Run& run, const Bytes& bytes) {
  if ((flags & CL_MEM_COPY_HOST_PTR) == 0) return run(error);
  Stopwatch watch;
  cl_int result = CL_SUCCESS;
  watch.begin = now();
  const cl_mem made = run(&result);
  watch.end = now();
  recorder().host_call({.kind = kind, .bytes = result == CL_SUCCESS ? bytes(made) : 0}, watch, result);
  if (error != nullptr) *error = result;
  return made;
}

std::uint64_t whole(cl_mem object) {
  return information<size_t>(driver().clGetMemObjectInfo, object, CL_MEM_SIZE, size_t{0});
}

cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t size, void* content, cl_int* error) {
  return create(
      Kind::create_buffer, flags, error,
      [&](cl_int* failure) { return driver().clCreateBuffer(context, flags, size, content, failure); }, whole);
}

cl_mem CL_API_CALL create_buffer_with_properties(cl_context context, const cl_mem_properties* properties,
                                                 cl_mem_flags flags, size_t size, void* content, cl_int* error) {
  return create(
      Kind::create_buffer, flags, error,
      [&](cl_int* failure) {
        return driver().clCreateBufferWithProperties(context, properties, flags, size, content, failure);
      },
      whole);
}

cl_mem CL_API_CALL create_image(cl_context context, cl_mem_flags flags, const cl_image_format* format,
                                const cl_image_desc* shape, void* content, cl_int* error) {
  return create(
      Kind::create_image, flags, error,
      [&](cl_int* failure) { return driver().clCreateImage(context, flags, format, shape, content, failure); }, whole);
}

cl_mem CL_API_CALL create_image_with_properties(cl_context context, const cl_mem_properties* properties,
                                                cl_mem_flags flags, const cl_image_format* format,
                                                const cl_image_desc* shape, void* content, cl_int* error) {
  return create(
      Kind::create_image, flags, error,
      [&](cl_int* failure) {
        return driver().clCreateImageWithProperties(context, properties, flags, format, shape, content, failure);
      },
      whole);
}

void* CL_API_CALL extension(const char* name) {
  void* const function = driver().clGetExtensionFunctionAddress(name);
  if (function != nullptr) recorder().extension(name);
  return function;
}

void* CL_API_CALL extension_for(cl_platform_id platform, const char* name) {
  void* const function = driver().clGetExtensionFunctionAddressForPlatform(platform, name);
  if (function != nullptr) recorder().extension(name);
  return function;
}

}  // namespace

void wrap_host_calls(cl_icd_dispatch& table) {
  table.clFinish = finish;
  table.clFlush = flush;
  table.clWaitForEvents = wait_for_events;
  table.clBuildProgram = build;
  table.clCompileProgram = compile;
  table.clLinkProgram = link;
  table.clCreateBuffer = create_buffer;
  table.clCreateBufferWithProperties = create_buffer_with_properties;
  table.clCreateImage = create_image;
  table.clCreateImageWithProperties = create_image_with_properties;
  table.clGetExtensionFunctionAddress = extension;
  table.clGetExtensionFunctionAddressForPlatform = extension_for;
}

}  // namespace isthmus::layer
