// Programs: made of source, binaries or intermediate code, built, compiled and linked.
#include "layer/recorder.hpp"
#include "layer/wrappers.hpp"

namespace isthmus::layer {
namespace {

using Built = void(CL_CALLBACK*)(cl_program program, void* data);

cl_program CL_API_CALL with_source(cl_context context, cl_uint count, const char** strings, const size_t* lengths,
                                   cl_int* error) {
  return create(Kind::create_with_source, error, [&](cl_int* failure) {
    return driver().clCreateProgramWithSource(context, count, strings, lengths, failure);
  });
}

cl_program CL_API_CALL with_binary(cl_context context, cl_uint devices, const cl_device_id* list, const size_t* lengths,
                                   const unsigned char** binaries, cl_int* statuses, cl_int* error) {
  return create(Kind::create_with_binary, error, [&](cl_int* failure) {
    return driver().clCreateProgramWithBinary(context, devices, list, lengths, binaries, statuses, failure);
  });
}

cl_program CL_API_CALL with_il(cl_context context, const void* code, size_t length, cl_int* error) {
  return create(Kind::create_with_il, error,
                [&](cl_int* failure) { return driver().clCreateProgramWithIL(context, code, length, failure); });
}

cl_program CL_API_CALL with_built_in(cl_context context, cl_uint devices, const cl_device_id* list, const char* names,
                                     cl_int* error) {
  return create(Kind::create_with_built_in, error, [&](cl_int* failure) {
    return driver().clCreateProgramWithBuiltInKernels(context, devices, list, names, failure);
  });
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

}  // namespace

void wrap_programs(cl_icd_dispatch& table) {
  table.clCreateProgramWithSource = with_source;
  table.clCreateProgramWithBinary = with_binary;
  table.clCreateProgramWithIL = with_il;
  table.clCreateProgramWithBuiltInKernels = with_built_in;
  table.clBuildProgram = build;
  table.clCompileProgram = compile;
  table.clLinkProgram = link;
}

}  // namespace isthmus::layer
