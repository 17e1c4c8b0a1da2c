#include <vector>

#include "layer/opencl_program.hpp"

namespace known {
namespace {

constexpr cl_image_format kFormat{CL_RGBA, CL_UNSIGNED_INT8};

void make_images(const Session& session) {
  std::vector<unsigned char> content(8 * 4 * 4, 1);
  cl_int result = CL_SUCCESS;
  cl_mem flat = clCreateImage2D(session.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &kFormat, 8, 4, 0,
                                content.data(), &result);
  done(result, {.what = "create image with content", .bytes = 8 * 4 * 4});
  cl_mem deep = clCreateImage3D(session.context, CL_MEM_READ_WRITE, &kFormat, 8, 4, 2, 0, 0, nullptr, &result);
  done(result, {.what = "create image", .bytes = 8 * 4 * 2 * 4});
  for (cl_mem image : {flat, deep}) clReleaseMemObject(image);
}

void make_sub_buffer(const Session& session) {
  cl_mem whole = session.buffer(8192);
  const cl_buffer_region region{.origin = 4096, .size = 1024};
  cl_int result = CL_SUCCESS;
  cl_mem part = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &result);
  done(result, {.what = "create sub-buffer", .bytes = 1024});
  for (cl_mem buffer : {part, whole}) clReleaseMemObject(buffer);
}

void make_programs(const Session& session) {
  std::size_t size = 0;
  check(clGetProgramInfo(session.program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr), "binary size");
  std::vector<unsigned char> binary(size);
  unsigned char* place = binary.data();
  check(clGetProgramInfo(session.program, CL_PROGRAM_BINARIES, sizeof place, &place, nullptr), "binary");
  const unsigned char* known = place;
  cl_int result = CL_SUCCESS;
  cl_program again = clCreateProgramWithBinary(session.context, 1, &session.device, &size, &known, nullptr, &result);
  done(result, {.what = "create program with binary"});
  clReleaseProgram(again);
  answer("program of no code", clCreateProgramWithIL(session.context, nullptr, 0, &result) == nullptr ? 1 : 0);
  answer_error("program of no code refused", result);
  say({.what = "create program with IL"});
}

}  // namespace

void make_objects(const Session& session) {
  make_images(session);
  make_sub_buffer(session);
  make_programs(session);
}

}  // namespace known
