#include "isthmus/offload/compute.hpp"

#include <fmt/format.h>

#include <vector>

#include "isthmus/base/error.hpp"
#include "offload/opencl/api.hpp"

namespace isthmus::offload {
namespace {

cl_mem memory(const ComputeBuffer& buffer) {
  return static_cast<cl_mem>(buffer.handle());
}

ComputeEvent own(cl_event event, const std::string& device) {
  return {ComputeHandle(event, opencl::Release()), device};
}

cl_ulong moment(cl_event event, cl_profiling_info which, const std::string& device) {
  cl_ulong nanoseconds = 0;
  opencl::check(clGetEventProfilingInfo(event, which, sizeof nanoseconds, &nanoseconds, nullptr),
                "clGetEventProfilingInfo", device);
  return nanoseconds;
}

void require_inside(const ComputeBuffer& buffer, std::size_t offset, std::size_t bytes) {
  if (offset > buffer.size() || bytes > buffer.size() - offset)
    throw Error(fmt::format("a copy of {} bytes at {} does not fit a buffer of {}", bytes, offset, buffer.size()));
}

struct SetArgument {
  cl_kernel kernel;
  cl_uint index;

  cl_int operator()(const ComputeBuffer* buffer) const {
    const cl_mem value = memory(*buffer);
    return clSetKernelArg(kernel, index, sizeof value, &value);
  }
  cl_int operator()(LocalMemory local) const { return clSetKernelArg(kernel, index, local.bytes, nullptr); }
  template <typename T>
  cl_int operator()(T value) const {
    return clSetKernelArg(kernel, index, sizeof value, &value);
  }
};

}  // namespace

void ComputeEvent::wait() const {
  const auto event = static_cast<cl_event>(handle());
  const cl_int code = clWaitForEvents(1, &event);
  cl_int status = CL_COMPLETE;
  if (code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
    opencl::check(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
                  "clGetEventInfo", device_);
  opencl::check(status < 0 ? status : code, "clWaitForEvents", device_);
}

DeviceSpan ComputeEvent::span() const {
  const auto event = static_cast<cl_event>(handle());
  return {.start = moment(event, CL_PROFILING_COMMAND_START, device_),
          .end = moment(event, CL_PROFILING_COMMAND_END, device_)};
}

ComputeKernel ComputeProgram::kernel(const std::string& name) const {
  cl_int code = CL_SUCCESS;
  const cl_kernel made = clCreateKernel(static_cast<cl_program>(program_.get()), name.c_str(), &code);
  if (code == CL_INVALID_KERNEL_NAME) throw Error(fmt::format("{}: expected a kernel named '{}'", file_, name));
  opencl::check(code, "clCreateKernel", device_);
  return {ComputeHandle(made, opencl::Release()), name};
}

bool ComputeProgram::has(const std::string& kernel) const {
  cl_int code = CL_SUCCESS;
  const cl_kernel made = clCreateKernel(static_cast<cl_program>(program_.get()), kernel.c_str(), &code);
  if (code == CL_INVALID_KERNEL_NAME) return false;
  opencl::check(code, "clCreateKernel", device_);
  opencl::Release()(made);
  return true;
}

std::vector<std::byte> ComputeProgram::binary() const {
  const auto program = static_cast<cl_program>(program_.get());
  std::size_t size = 0;
  opencl::check(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr), "clGetProgramInfo",
                device_);
  if (size == 0) throw Error(fmt::format("{}: device '{}' gives no binary of it", file_, device_));
  std::vector<std::byte> bytes(size);
  auto* start = reinterpret_cast<unsigned char*>(bytes.data());
  opencl::check(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof start, static_cast<void*>(&start), nullptr),
                "clGetProgramInfo", device_);
  return bytes;
}

ComputeEvent ComputeQueue::launch(const ComputeKernel& kernel, const NdRange& range,
                                  std::span<const ComputeArgument> arguments) {
  const auto handle = static_cast<cl_kernel>(kernel.handle());
  cl_uint wanted = 0;
  opencl::check(clGetKernelInfo(handle, CL_KERNEL_NUM_ARGS, sizeof wanted, &wanted, nullptr), "clGetKernelInfo",
                device_);
  if (wanted != arguments.size())
    throw Error(fmt::format("kernel '{}' has {} arguments, expected {}", kernel.name(), wanted, arguments.size()));
  for (cl_uint index = 0; index < wanted; ++index) {
    const cl_int code = std::visit(SetArgument{handle, index}, arguments[index]);
    if (code == CL_INVALID_ARG_SIZE || code == CL_INVALID_ARG_VALUE)
      throw Error(fmt::format("kernel '{}': its argument {} has another type than expected", kernel.name(), index));
    opencl::check(code, "clSetKernelArg", device_);
  }
  cl_event event = nullptr;
  const std::size_t* local = range.local[0] == 0 ? nullptr : range.local.data();
  opencl::check(clEnqueueNDRangeKernel(static_cast<cl_command_queue>(queue_.get()), handle, 3, nullptr,
                                       range.global.data(), local, 0, nullptr, &event),
                "clEnqueueNDRangeKernel", device_);
  return own(event, device_);
}

void ComputeQueue::write(const ComputeBuffer& to, std::size_t offset, std::span<const std::byte> from) {
  require_inside(to, offset, from.size());
  if (from.empty()) return;
  opencl::check(clEnqueueWriteBuffer(static_cast<cl_command_queue>(queue_.get()), memory(to), CL_TRUE, offset,
                                     from.size(), from.data(), 0, nullptr, nullptr),
                "clEnqueueWriteBuffer", device_);
}

void ComputeQueue::read(const ComputeBuffer& from, std::size_t offset, std::span<std::byte> to) {
  require_inside(from, offset, to.size());
  if (to.empty()) return;
  opencl::check(clEnqueueReadBuffer(static_cast<cl_command_queue>(queue_.get()), memory(from), CL_TRUE, offset,
                                    to.size(), to.data(), 0, nullptr, nullptr),
                "clEnqueueReadBuffer", device_);
}

ComputeEvent ComputeQueue::start_write(const ComputeBuffer& to, std::size_t offset, std::span<const std::byte> from) {
  require_inside(to, offset, from.size());
  cl_event event = nullptr;
  opencl::check(clEnqueueWriteBuffer(static_cast<cl_command_queue>(queue_.get()), memory(to), CL_FALSE, offset,
                                     from.size(), from.data(), 0, nullptr, &event),
                "clEnqueueWriteBuffer", device_);
  return own(event, device_);
}

ComputeEvent ComputeQueue::start_read(const ComputeBuffer& from, std::size_t offset, std::span<std::byte> to) {
  require_inside(from, offset, to.size());
  cl_event event = nullptr;
  opencl::check(clEnqueueReadBuffer(static_cast<cl_command_queue>(queue_.get()), memory(from), CL_FALSE, offset,
                                    to.size(), to.data(), 0, nullptr, &event),
                "clEnqueueReadBuffer", device_);
  return own(event, device_);
}

ComputeEvent ComputeQueue::copy(const ComputeBuffer& from, std::size_t from_offset, const ComputeBuffer& to,
                                std::size_t to_offset, std::size_t bytes) {
  require_inside(from, from_offset, bytes);
  require_inside(to, to_offset, bytes);
  cl_event event = nullptr;
  opencl::check(clEnqueueCopyBuffer(static_cast<cl_command_queue>(queue_.get()), memory(from), memory(to), from_offset,
                                    to_offset, bytes, 0, nullptr, &event),
                "clEnqueueCopyBuffer", device_);
  return own(event, device_);
}

ComputeEvent ComputeQueue::copy_box(const ComputeBuffer& from, const BoxPlace& from_place, const ComputeBuffer& to,
                                    const BoxPlace& to_place, const BoxSize& size) {
  const auto origin = [&](const ComputeBuffer& buffer, const BoxPlace& place) {
    const std::size_t rows = (size[2] - 1) * place.slice_pitch + (size[1] - 1) * place.row_pitch + size[0];
    require_inside(buffer, place.offset, rows);
    return BoxSize{place.offset % place.row_pitch, place.offset / place.row_pitch, 0};
  };
  const BoxSize from_origin = origin(from, from_place);
  const BoxSize to_origin = origin(to, to_place);
  cl_event event = nullptr;
  opencl::check(
      clEnqueueCopyBufferRect(static_cast<cl_command_queue>(queue_.get()), memory(from), memory(to), from_origin.data(),
                              to_origin.data(), size.data(), from_place.row_pitch, from_place.slice_pitch,
                              to_place.row_pitch, to_place.slice_pitch, 0, nullptr, &event),
      "clEnqueueCopyBufferRect", device_);
  return own(event, device_);
}

ComputeEvent ComputeQueue::fill(const ComputeBuffer& to, std::span<const std::byte> pattern) {
  cl_event event = nullptr;
  opencl::check(clEnqueueFillBuffer(static_cast<cl_command_queue>(queue_.get()), memory(to), pattern.data(),
                                    pattern.size(), 0, to.size(), 0, nullptr, &event),
                "clEnqueueFillBuffer", device_);
  return own(event, device_);
}

PinnedMemory ComputeQueue::map(const ComputeBuffer& buffer) {
  const StartedMap started = start_map(buffer);
  started.mapped.wait();
  const std::span<std::byte> bytes = started.memory.bytes();
  const auto finish = [memory = started.memory, queue = queue_](void*) mutable {
    memory = PinnedMemory(nullptr, {});
    clFinish(static_cast<cl_command_queue>(queue.get()));
  };
  return {ComputeHandle(bytes.data(), finish), bytes};
}

StartedMap ComputeQueue::start_map(const ComputeBuffer& buffer) {
  cl_int code = CL_SUCCESS;
  cl_event event = nullptr;
  void* mapped = clEnqueueMapBuffer(static_cast<cl_command_queue>(queue_.get()), memory(buffer), CL_FALSE,
                                    CL_MAP_READ | CL_MAP_WRITE, 0, buffer.size(), 0, nullptr, &event, &code);
  opencl::check(code, "clEnqueueMapBuffer", device_);
  const auto unmap = [buffer, queue = queue_](void* address) {
    // A device that is gone has nothing left to unmap.
    clEnqueueUnmapMemObject(static_cast<cl_command_queue>(queue.get()), memory(buffer), address, 0, nullptr, nullptr);
  };
  return {.memory = {ComputeHandle(mapped, unmap), {static_cast<std::byte*>(mapped), buffer.size()}},
          .mapped = own(event, device_)};
}

ComputeEvent ComputeQueue::after(std::span<const ComputeEvent> events) {
  std::vector<cl_event> awaited;
  for (const ComputeEvent& each : events) awaited.push_back(static_cast<cl_event>(each.handle()));
  cl_event event = nullptr;
  opencl::check(
      clEnqueueBarrierWithWaitList(static_cast<cl_command_queue>(queue_.get()), static_cast<cl_uint>(awaited.size()),
                                   awaited.empty() ? nullptr : awaited.data(), &event),
      "clEnqueueBarrierWithWaitList", device_);
  return own(event, device_);
}

void ComputeQueue::flush() {
  opencl::check(clFlush(static_cast<cl_command_queue>(queue_.get())), "clFlush", device_);
}

void ComputeQueue::finish() {
  opencl::check(clFinish(static_cast<cl_command_queue>(queue_.get())), "clFinish", device_);
}

}  // namespace isthmus::offload
