// bench_record_calls KIND: what a call of OpenCL and its share of the finish of its batch cost the thread that makes
// them, in ns of its processor time, and what they take by the wall clock; medians of batches.
// bench_record_calls launches COUNT KERNELS: so many launches, of one kernel or of several in turn, and nothing
// printed.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

namespace {

constexpr int kBatches = 60;
constexpr int kCalls = 1000;

void check(cl_int result) {
  if (result == CL_SUCCESS) return;
  std::fprintf(stderr, "error: OpenCL answered %d\n", result);
  std::exit(2);
}

double nanoseconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct Program {
  cl_command_queue queue = nullptr;
  std::array<cl_kernel, 3> kernels{};
  cl_mem buffer = nullptr;

  Program() {
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    cl_int result = CL_SUCCESS;
    check(clGetPlatformIDs(1, &platform, nullptr));
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr));
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &result);
    check(result);
    queue = clCreateCommandQueue(context, device, 0, &result);
    check(result);
    const char* source = "kernel void nothing() {} kernel void none() {} kernel void naught() {}";
    cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &result);
    check(result);
    check(clBuildProgram(program, 1, &device, "", nullptr, nullptr));
    for (std::size_t at = 0; at < kernels.size(); ++at) {
      kernels[at] = clCreateKernel(program, std::array{"nothing", "none", "naught"}[at], &result);
      check(result);
    }
    buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, nullptr, &result);
    check(result);
  }

  void launch(std::size_t which, cl_event* event) {
    static constexpr std::size_t one = 1;
    check(clEnqueueNDRangeKernel(queue, kernels[which], 1, nullptr, &one, &one, 0, nullptr, event));
  }

  void launch_all(std::uint64_t count, std::size_t of) {
    for (std::uint64_t at = 0; at < count; ++at) {
      launch(at % of, nullptr);
      if (at % kCalls == kCalls - 1) check(clFinish(queue));
    }
    check(clFinish(queue));
  }

  void call(const std::string& kind) {
    std::array<char, 64> bytes{};
    if (kind == "launch") launch(0, nullptr);
    if (kind == "launch-wait") {
      cl_event event = nullptr;
      launch(0, &event);
      check(clWaitForEvents(1, &event));
      clReleaseEvent(event);
    }
    if (kind == "write") check(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 64, bytes.data(), 0, nullptr, nullptr));
  }
};

}  // namespace

int main(int count, char** words) {
  const std::string kind = count > 1 ? words[1] : "";
  if (kind == "launches" && count == 4) {
    Program().launch_all(std::strtoull(words[2], nullptr, 10), std::clamp(std::atoi(words[3]), 1, 3));
    return 0;
  }
  if (kind != "launch" && kind != "launch-wait" && kind != "write") {
    std::fputs("error: expected bench_record_calls launch|launch-wait|write or launches COUNT KERNELS\n", stderr);
    return 2;
  }
  Program program;
  std::vector<double> own;
  std::vector<double> wall;
  for (int batch = 0; batch < kBatches; ++batch) {
    const double wall_begin = nanoseconds(CLOCK_MONOTONIC);
    const double begin = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    for (int call = 0; call < kCalls; ++call) program.call(kind);
    check(clFinish(program.queue));
    const double end = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    own.push_back((end - begin) / kCalls);
    wall.push_back((nanoseconds(CLOCK_MONOTONIC) - wall_begin) / kCalls);
  }
  std::printf("%.1f %.1f\n", median(own), median(wall));
}
