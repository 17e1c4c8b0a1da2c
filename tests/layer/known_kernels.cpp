#include <thread>

#include "layer/opencl_program.hpp"

namespace known {
namespace {

constexpr std::size_t kValues = 256;

void add(const Session&, cl_command_queue queue, cl_kernel kernel, cl_mem values, cl_int more) {
  check(clSetKernelArg(kernel, 0, sizeof values, &values), "clSetKernelArg");
  check(clSetKernelArg(kernel, 1, sizeof more, &more), "clSetKernelArg");
  const std::size_t local = 64;
  done(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &kValues, &local, 0, nullptr, nullptr),
       {.what = "kernel", .kernel = "add", .global = {kValues}, .local = {local}});
}

}  // namespace

void compute(const Session& session) {
  cl_command_queue queue = session.queue_with(CL_QUEUE_PROFILING_ENABLE);
  const std::vector<cl_int> content(kValues, 1);
  cl_mem values = session.buffer(kValues * sizeof(cl_int), content.data());
  cl_kernel kernel = session.kernel("add");
  cl_kernel nothing = session.kernel("nothing");
  add(session, queue, kernel, values, 5);
  done(clEnqueueTask(queue, nothing, 0, nullptr, nullptr),
       {.what = "task", .kernel = "nothing", .global = {1}, .local = {1}});
  const std::array<std::size_t, 2> global{8, 4};
  done(clEnqueueNDRangeKernel(queue, nothing, 2, nullptr, global.data(), nullptr, 0, nullptr, nullptr),
       {.what = "kernel", .kernel = "nothing", .global = {8, 4}});
  done(clEnqueueBarrierWithWaitList(queue, 0, nullptr, nullptr), {.what = "barrier"});
  done(clEnqueueMarkerWithWaitList(queue, 0, nullptr, nullptr), {.what = "marker"});
  cl_event marked = nullptr;
  done(clEnqueueMarker(queue, &marked), {.what = "marker"});
  done(clEnqueueBarrier(queue), {.what = "barrier"});
  flush(queue);
  std::vector<cl_int> result(kValues);
  done(clEnqueueReadBuffer(queue, values, CL_TRUE, 0, kValues * sizeof(cl_int), result.data(), 0, nullptr, nullptr),
       {.what = "read buffer", .bytes = kValues * sizeof(cl_int), .blocking = true});
  answer("first value", static_cast<std::uint64_t>(result.front()));
  answer("last value", static_cast<std::uint64_t>(result.back()));
  answer_error("a read that is refused",
               clEnqueueReadBuffer(queue, values, CL_TRUE, 1 << 20, 8, result.data(), 0, nullptr, nullptr));
  say({.what = "read buffer", .bytes = 8, .blocking = true});
  clReleaseEvent(marked);
  for (cl_kernel one : {kernel, nothing}) clReleaseKernel(one);
  clReleaseMemObject(values);
  clReleaseCommandQueue(queue);
}

void use_threads(const Session& session) {
  cl_command_queue shared = session.queue_with(0);
  std::vector<std::jthread> threads;
  std::array<cl_int, 4> results{};
  for (std::size_t number = 0; number < results.size(); ++number)
    threads.emplace_back([&session, shared, number, &results] {
      cl_command_queue own = session.queue_with(0);
      cl_mem buffer = session.buffer(64);
      cl_mem other = session.buffer(64);
      std::array<char, 64> bytes{};
      for (int at = 0; at < 250 && results[number] == CL_SUCCESS; ++at) {
        const cl_bool wait = at % 50 == 0 ? CL_TRUE : CL_FALSE;
        results[number] |= clEnqueueWriteBuffer(own, buffer, wait, 0, 64, bytes.data(), 0, nullptr, nullptr);
        results[number] |= clEnqueueWriteBuffer(shared, other, wait, 0, 32, bytes.data(), 0, nullptr, nullptr);
      }
      clFinish(own);
      clFinish(shared);
      for (cl_mem one : {buffer, other}) clReleaseMemObject(one);
      clReleaseCommandQueue(own);
    });
  threads.clear();
  for (const cl_int result : results) check(result, "write");
  clReleaseCommandQueue(shared);
}

void make_many(const Session& session, int count) {
  cl_command_queue queue = session.queue_with(0);
  cl_kernel nothing = session.kernel("nothing");
  const std::size_t one = 1;
  for (int at = 0; at < count; ++at)
    check(clEnqueueNDRangeKernel(queue, nothing, 1, nullptr, &one, &one, 0, nullptr, nullptr), "launch");
  check(clFinish(queue), "clFinish");
  clReleaseKernel(nothing);
  clReleaseCommandQueue(queue);
}

}  // namespace known
