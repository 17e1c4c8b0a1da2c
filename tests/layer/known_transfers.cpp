#include <cstring>
#include <numeric>

#include "layer/opencl_program.hpp"

namespace known {
namespace {

using Region = std::array<std::size_t, 3>;
constexpr Region kOrigin{0, 0, 0};

std::vector<std::uint8_t> counted(std::size_t size) {
  std::vector<std::uint8_t> bytes(size);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  return bytes;
}

void move_whole_buffers(cl_command_queue queue, cl_mem first, cl_mem second) {
  auto bytes = counted(4096);
  done(clEnqueueWriteBuffer(queue, first, CL_TRUE, 0, 4096, bytes.data(), 0, nullptr, nullptr),
       {.what = "write buffer", .bytes = 4096, .blocking = true});
  cl_event copied = nullptr;
  done(clEnqueueCopyBuffer(queue, first, second, 0, 1024, 2048, 0, nullptr, &copied),
       {.what = "copy buffer", .bytes = 2048});
  const std::uint8_t pattern = 7;
  done(clEnqueueFillBuffer(queue, second, &pattern, 1, 0, 512, 1, &copied, nullptr),
       {.what = "fill buffer", .bytes = 512});
  done(clWaitForEvents(1, &copied), {.what = "wait for events", .blocking = true});
  clReleaseEvent(copied);
  done(clEnqueueMigrateMemObjects(queue, 1, &second, 0, 0, nullptr, nullptr), {.what = "migrate", .bytes = 4096});
  done(clEnqueueReadBuffer(queue, second, CL_FALSE, 0, 4000, bytes.data(), 0, nullptr, nullptr),
       {.what = "read buffer", .bytes = 4000});
  finish(queue);
  answer("sum of what was read", sum(bytes));
}

void move_rectangles(cl_command_queue queue, cl_mem first, cl_mem second) {
  auto bytes = counted(4096);
  const Region region{16, 4, 2};
  done(clEnqueueWriteBufferRect(queue, first, CL_TRUE, kOrigin.data(), kOrigin.data(), region.data(), 64, 1024, 32, 512,
                                bytes.data(), 0, nullptr, nullptr),
       {.what = "write buffer rectangle", .bytes = 128, .blocking = true});
  done(clEnqueueCopyBufferRect(queue, first, second, kOrigin.data(), kOrigin.data(), region.data(), 64, 1024, 64, 1024,
                               0, nullptr, nullptr),
       {.what = "copy buffer rectangle", .bytes = 128});
  done(clEnqueueReadBufferRect(queue, second, CL_TRUE, kOrigin.data(), kOrigin.data(), region.data(), 64, 1024, 32, 512,
                               bytes.data(), 0, nullptr, nullptr),
       {.what = "read buffer rectangle", .bytes = 128, .blocking = true});
  answer("sum of the rectangle", sum(bytes));
}

void map(cl_command_queue queue, cl_mem buffer, cl_map_flags flags, std::uint64_t to_host, std::uint64_t to_device) {
  cl_int result = CL_SUCCESS;
  void* const place = clEnqueueMapBuffer(queue, buffer, CL_TRUE, flags, 0, 256, 0, nullptr, nullptr, &result);
  done(result, {.what = "map buffer", .bytes = to_host, .blocking = true});
  if (flags != CL_MAP_READ) std::memset(place, 9, 256);
  done(clEnqueueUnmapMemObject(queue, buffer, place, 0, nullptr, nullptr), {.what = "unmap", .bytes = to_device});
}

cl_mem image(const Session& session) {
  const cl_image_format format{CL_RGBA, CL_UNSIGNED_INT8};
  cl_image_desc shape{};
  shape.image_type = CL_MEM_OBJECT_IMAGE2D;
  shape.image_width = 32;
  shape.image_height = 16;
  cl_int result = CL_SUCCESS;
  const cl_mem made = clCreateImage(session.context, CL_MEM_READ_WRITE, &format, &shape, nullptr, &result);
  done(result, {.what = "create image", .bytes = 32 * 16 * 4});
  return made;
}

void map_image(cl_command_queue queue, cl_mem image, const Region& region) {
  std::size_t row = 0;
  cl_int result = CL_SUCCESS;
  void* const place = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, kOrigin.data(), region.data(), &row,
                                        nullptr, 0, nullptr, nullptr, &result);
  done(result, {.what = "map image", .bytes = 8 * 8 * 4, .blocking = true});
  done(clEnqueueUnmapMemObject(queue, image, place, 0, nullptr, nullptr), {.what = "unmap"});
}

}  // namespace

void move_buffers(const Session& session) {
  cl_command_queue queue = session.queue_with(0);
  const auto content = counted(4096);
  cl_mem first = session.buffer(4096);
  cl_mem second = session.buffer(4096, content.data());
  move_whole_buffers(queue, first, second);
  move_rectangles(queue, first, second);
  map(queue, first, CL_MAP_READ, 256, 0);
  map(queue, first, CL_MAP_WRITE, 256, 256);
  map(queue, first, CL_MAP_WRITE_INVALIDATE_REGION, 0, 256);
  finish(queue);
  for (cl_mem buffer : {first, second}) clReleaseMemObject(buffer);
  clReleaseCommandQueue(queue);
}

void move_images(const Session& session) {
  cl_command_queue queue = session.queue_with(0);
  cl_mem first = image(session);
  cl_mem second = image(session);
  cl_mem buffer = session.buffer(4096);
  auto bytes = counted(32 * 16 * 4);
  const Region whole{32, 16, 1};
  const Region part{8, 8, 1};
  const std::array<cl_uint, 4> color{1, 2, 3, 4};
  done(
      clEnqueueWriteImage(queue, first, CL_TRUE, kOrigin.data(), whole.data(), 0, 0, bytes.data(), 0, nullptr, nullptr),
      {.what = "write image", .bytes = 2048, .blocking = true});
  done(clEnqueueFillImage(queue, second, color.data(), kOrigin.data(), whole.data(), 0, nullptr, nullptr),
       {.what = "fill image", .bytes = 2048});
  done(clEnqueueCopyImage(queue, first, second, kOrigin.data(), kOrigin.data(), part.data(), 0, nullptr, nullptr),
       {.what = "copy image", .bytes = 256});
  done(clEnqueueCopyImageToBuffer(queue, second, buffer, kOrigin.data(), part.data(), 0, 0, nullptr, nullptr),
       {.what = "copy image to buffer", .bytes = 256});
  done(clEnqueueCopyBufferToImage(queue, buffer, first, 0, kOrigin.data(), part.data(), 0, nullptr, nullptr),
       {.what = "copy buffer to image", .bytes = 256});
  map_image(queue, first, part);
  done(
      clEnqueueReadImage(queue, second, CL_TRUE, kOrigin.data(), whole.data(), 0, 0, bytes.data(), 0, nullptr, nullptr),
      {.what = "read image", .bytes = 2048, .blocking = true});
  answer("sum of the image", sum(bytes));
  for (cl_mem object : {first, second, buffer}) clReleaseMemObject(object);
  clReleaseCommandQueue(queue);
}

void move_shared_memory(const Session& session) {
  cl_command_queue queue = session.queue_with(0);
  std::array<void*, 2> places{};
  for (void*& place : places) {
    place = clSVMAlloc(session.context, CL_MEM_READ_WRITE, 1024, 0);
    done(place != nullptr ? CL_SUCCESS : CL_OUT_OF_RESOURCES, {.what = "allocate SVM", .bytes = 1024});
  }
  auto& [first, second] = places;
  cl_kernel kernel = session.kernel("add");
  done(clSetKernelArgSVMPointer(kernel, 0, first), {.what = "set SVM argument"});
  done(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof second, &second), {.what = "set SVM pointers"});
  clReleaseKernel(kernel);
  const std::uint8_t pattern = 3;
  done(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, first, 1024, 0, nullptr, nullptr),
       {.what = "SVM map", .bytes = 1024, .blocking = true});
  std::memset(first, 5, 1024);
  done(clEnqueueSVMUnmap(queue, first, 0, nullptr, nullptr), {.what = "SVM unmap", .bytes = 1024});
  done(clEnqueueSVMMemFill(queue, second, &pattern, 1, 1024, 0, nullptr, nullptr), {.what = "SVM fill", .bytes = 1024});
  done(clEnqueueSVMMemcpy(queue, CL_TRUE, second, first, 512, 0, nullptr, nullptr),
       {.what = "SVM copy", .bytes = 512, .blocking = true});
  std::vector<std::uint8_t> bytes(1024);
  std::memcpy(bytes.data(), second, bytes.size());
  answer("sum of shared memory", sum(bytes));
  done(clEnqueueSVMFree(queue, 1, &first, nullptr, nullptr, 0, nullptr, nullptr), {.what = "SVM free"});
  finish(queue);
  clSVMFree(session.context, second);
  say({.what = "release SVM"});
  clReleaseCommandQueue(queue);
}

}  // namespace known
