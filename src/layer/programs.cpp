// Programs: made of source, binaries or intermediate code, built, compiled and linked.
#include "layer/command.hpp"
#include "layer/wrappers.hpp"

namespace isthmus::layer {
namespace {

using Built = void(CL_CALLBACK*)(cl_program program, void* data);

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
  record<&cl_icd_dispatch::clCreateProgramWithSource, Creation>(table, kOnly<Kind::create_with_source>);
  record<&cl_icd_dispatch::clCreateProgramWithBinary, Creation>(table, kOnly<Kind::create_with_binary>);
  record<&cl_icd_dispatch::clCreateProgramWithIL, Creation>(table, kOnly<Kind::create_with_il>);
  record<&cl_icd_dispatch::clCreateProgramWithBuiltInKernels, Creation>(table, kOnly<Kind::create_with_built_in>);
  record<&cl_icd_dispatch::clBuildProgram, HostCall>(table, kOnly<Kind::build>);
  record<&cl_icd_dispatch::clCompileProgram, HostCall>(table, kOnly<Kind::compile>);
  table.clLinkProgram = link;
}

}  // namespace isthmus::layer
