#include "layer/opencl_program.hpp"

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <sstream>

namespace known {
namespace {

constexpr const char* kSource =
    "kernel void add(global int* values, int more) { values[get_global_id(0)] += more; }\n"
    "kernel void nothing() {}\n";

std::string sizes(const std::vector<std::size_t>& values) {
  std::ostringstream text;
  for (std::size_t at = 0; at < values.size(); ++at) text << (at == 0 ? "" : "x") << values[at];
  return values.empty() ? "-" : text.str();
}

}  // namespace

void check(cl_int result, const std::string& what) {
  if (result == CL_SUCCESS) return;
  std::fprintf(stderr, "error: %s: %d\n", what.c_str(), result);
  std::exit(4);
}

void say(const Said& said) {
  std::printf("call %s|%llu|%d|%s|%s|%s\n", said.what.c_str(), static_cast<unsigned long long>(said.bytes),
              said.blocking ? 1 : 0, said.kernel.c_str(), sizes(said.global).c_str(), sizes(said.local).c_str());
  std::fflush(stdout);
}

void done(cl_int result, const Said& said) {
  check(result, said.what);
  say(said);
}

void answer(const std::string& what, std::uint64_t value) {
  std::printf("answer %s: %llu\n", what.c_str(), static_cast<unsigned long long>(value));
}

void answer_error(const std::string& what, cl_int result) {
  answer(what, static_cast<std::uint64_t>(-result));
}

void flush(cl_command_queue queue) {
  done(clFlush(queue), {.what = "flush"});
}

void finish(cl_command_queue queue) {
  done(clFinish(queue), {.what = "finish", .blocking = true});
}

std::uint64_t sum(const std::vector<std::uint8_t>& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
}

Session::Session() {
  cl_platform_id platform = nullptr;
  check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
  cl_int result = CL_SUCCESS;
  context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &result);
  check(result, "clCreateContext");
  const char* source = kSource;
  program = clCreateProgramWithSource(context, 1, &source, nullptr, &result);
  done(result, {.what = "create program with source"});
  check(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
  say({.what = "build program"});
}

Session::~Session() {
  clReleaseProgram(program);
  clReleaseContext(context);
}

cl_command_queue Session::queue_with(cl_command_queue_properties properties) const {
  cl_int result = CL_SUCCESS;
  cl_command_queue queue = clCreateCommandQueue(context, device, properties, &result);
  check(result, "clCreateCommandQueue");
  return queue;
}

cl_mem Session::buffer(std::size_t bytes, const void* content) const {
  cl_int result = CL_SUCCESS;
  const cl_mem_flags flags = CL_MEM_READ_WRITE | (content != nullptr ? CL_MEM_COPY_HOST_PTR : 0);
  const cl_mem made = clCreateBuffer(context, flags, bytes, const_cast<void*>(content), &result);
  done(result, {.what = content != nullptr ? "create buffer with content" : "create buffer", .bytes = bytes});
  return made;
}

void* Session::extension(const char* name) const {
  cl_platform_id platform = nullptr;
  check(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, nullptr), "platform");
  return clGetExtensionFunctionAddressForPlatform(platform, name);
}

cl_kernel Session::kernel(const char* name) const {
  cl_int result = CL_SUCCESS;
  const cl_kernel made = clCreateKernel(program, name, &result);
  check(result, "clCreateKernel");
  return made;
}

}  // namespace known
