#include "offload/opencl/device.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "isthmus/base/data_file.hpp"
#include "isthmus/base/error.hpp"
#include "offload/opencl/host.hpp"

namespace isthmus::offload::opencl {
namespace {

std::string read_source(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || !text) throw Error(fmt::format("{}: cannot read the kernel's source", path.string()));
  return text.str();
}

cl_ulong profile(const OpenClDevice& device, cl_event event, cl_profiling_info moment) {
  cl_ulong nanoseconds = 0;
  device.check(clGetEventProfilingInfo(event, moment, sizeof nanoseconds, &nanoseconds, nullptr),
               "clGetEventProfilingInfo");
  return nanoseconds;
}

}  // namespace

OpenClDevice::OpenClDevice(cl_device_id id, WallClock::time_point opened)
    : id_(id), info_{.name = text(id, CL_DEVICE_NAME), .modelled = false}, opened_(opened) {
  cl_int code = CL_SUCCESS;
  context_.reset(clCreateContext(nullptr, 1, &id_, nullptr, nullptr, &code));
  check(code, "clCreateContext");
  align_clocks();
  info_.opening = clock();
}

Time OpenClDevice::clock() const {
  return Time::ns(std::chrono::duration_cast<std::chrono::nanoseconds>(WallClock::now() - opened_).count());
}

Time OpenClDevice::on_clock(cl_ulong device_nanoseconds) const {
  return Time::ns(static_cast<std::int64_t>(device_nanoseconds) - device_nanoseconds_at_opening_);
}

/// The device's timer has an origin and a pace of its own: a command, seen by both clocks, tells the distance. Of some
/// the one counts whose call took the shortest: others may have had the processor meanwhile. What is queued counts from
/// the end of that call, so that nothing seems to start before it was asked for.
void OpenClDevice::align_clocks() {
  constexpr int kTrials = 5;
  const auto memory = allocate(Bytes{sizeof(cl_int)});
  const auto commands = queue();
  const cl_int zero = 0;
  Time shortest;
  for (int trial = 0; trial < kTrials; ++trial) {
    cl_event event = nullptr;
    const Time before = clock();
    check(clEnqueueWriteBuffer(dynamic_cast<OpenClQueue&>(*commands).handle(),
                               dynamic_cast<OpenClBuffer&>(*memory).handle(), CL_FALSE, 0, sizeof zero, &zero, 0,
                               nullptr, &event),
          "clEnqueueWriteBuffer");
    aligned_at_ = clock();
    const Handle<cl_event> seen(event);
    check(clWaitForEvents(1, &event), "clWaitForEvents");
    if (trial != 0 && aligned_at_ - before >= shortest) continue;
    shortest = aligned_at_ - before;
    const auto queued = static_cast<std::int64_t>(profile(*this, event, CL_PROFILING_COMMAND_QUEUED));
    device_nanoseconds_at_opening_ = queued - aligned_at_.femtoseconds() / Time::ns(1).femtoseconds();
  }
}

std::unique_ptr<offload::Buffer> OpenClDevice::allocate(Bytes size) {
  return std::make_unique<OpenClBuffer>(take(size, CL_MEM_READ_WRITE, "a buffer"), size);
}

std::unique_ptr<offload::PinnedBuffer> OpenClDevice::pin(Bytes size) {
  Handle<cl_mem> memory = take(size, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, "a pinned buffer");
  return std::make_unique<OpenClPinnedBuffer>(*this, std::move(memory), new_queue(), size);
}

Time OpenClDevice::access_registers(const RegisterAccess&, int) {
  throw Error(fmt::format("device '{}': OpenCL does not reach its registers, expected a model", info_.name));
}

HostAccessLatency OpenClDevice::access_host_memory(const HostAccess&) {
  throw Error(fmt::format("device '{}': OpenCL does not let it access the host's memory by itself, expected a model",
                          info_.name));
}

Handle<cl_mem> OpenClDevice::take(Bytes size, cl_mem_flags flags, const char* what) const {
  const auto refuse = [&](const std::string& why) {
    throw Error(fmt::format("device '{}' has no room for {} of {} bytes: {}", info_.name, what, size.count, why));
  };
  // Asked first, because some drivers promise any size and fail when the buffer is used.
  const auto most = static_cast<std::int64_t>(number<cl_ulong>(id_, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  if (size.count > most) refuse(fmt::format("one may have {}", most));
  cl_int code = CL_SUCCESS;
  Handle<cl_mem> memory(clCreateBuffer(context_.get(), flags, static_cast<std::size_t>(size.count), nullptr, &code));
  if (code != CL_SUCCESS) refuse("clCreateBuffer: " + code_name(code));
  return memory;
}

Handle<cl_program> OpenClDevice::build(const std::string& file) const {
  const std::string source = read_source(data_file(file));
  const char* start = source.c_str();
  cl_int code = CL_SUCCESS;
  Handle<cl_program> program(clCreateProgramWithSource(context_.get(), 1, &start, nullptr, &code));
  check(code, "clCreateProgramWithSource");
  code = clBuildProgram(program.get(), 1, &id_, "-cl-std=CL1.2", nullptr, nullptr);
  if (code == CL_SUCCESS) return program;

  std::size_t size = 0;
  check(clGetProgramBuildInfo(program.get(), id_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size), "clGetProgramBuildInfo");
  std::string log(size, '\0');
  check(clGetProgramBuildInfo(program.get(), id_, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr),
        "clGetProgramBuildInfo");
  throw Error(fmt::format("{}: clBuildProgram on '{}': {}: {}", file, info_.name, code_name(code),
                          first_complaint(log.c_str())));
}

std::unique_ptr<offload::Kernel> OpenClDevice::kernel(const std::string& name) {
  const auto program = build(fmt::format("kernels/{}.cl", name));
  cl_int code = CL_SUCCESS;
  Handle<cl_kernel> made(clCreateKernel(program.get(), name.c_str(), &code));
  check(code, "clCreateKernel");
  return std::make_unique<OpenClKernel>(std::move(made));
}

std::unique_ptr<offload::Queue> OpenClDevice::queue() {
  return std::make_unique<OpenClQueue>(new_queue());
}

Handle<cl_command_queue> OpenClDevice::new_queue() const {
  cl_int code = CL_SUCCESS;
  Handle<cl_command_queue> made(clCreateCommandQueue(context_.get(), id_, CL_QUEUE_PROFILING_ENABLE, &code));
  check(code, "clCreateCommandQueue");
  return made;
}

OpenClPinnedBuffer::OpenClPinnedBuffer(const OpenClDevice& device, Handle<cl_mem> memory,
                                       Handle<cl_command_queue> queue, Bytes size)
    : memory_(std::move(memory)), queue_(std::move(queue)) {
  const auto bytes = static_cast<std::size_t>(size.count);
  cl_int code = CL_SUCCESS;
  void* mapped = clEnqueueMapBuffer(queue_.get(), memory_.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0,
                                    nullptr, nullptr, &code);
  device.check(code, "clEnqueueMapBuffer");
  bytes_ = {static_cast<std::byte*>(mapped), bytes};
}

OpenClPinnedBuffer::~OpenClPinnedBuffer() {
  // A device that is gone has nothing left to unmap.
  if (clEnqueueUnmapMemObject(queue_.get(), memory_.get(), bytes_.data(), 0, nullptr, nullptr) == CL_SUCCESS)
    clFinish(queue_.get());
}

std::unique_ptr<offload::Mailbox> OpenClDevice::mailbox(std::size_t depth) {
  return std::make_unique<OpenClMailbox>(depth);
}

void OpenClDevice::run(std::vector<HostThread> threads) {
  constexpr auto kApart = Time::ms(100);  // in which two clocks, some millionths apart, lose some microseconds
  if (clock() - aligned_at_ > kApart) align_clocks();
  run_threads(*this, threads);
}

Span OpenClEvent::span() const {
  return {device_.on_clock(profile(device_, event_.get(), CL_PROFILING_COMMAND_START)),
          device_.on_clock(profile(device_, event_.get(), CL_PROFILING_COMMAND_END))};
}

void OpenClEvent::wait() const {
  const cl_event event = event_.get();
  const cl_int code = clWaitForEvents(1, &event);
  cl_int status = CL_COMPLETE;
  if (code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
    device_.check(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
                  "clGetEventInfo");
  device_.check(status < 0 ? status : code, "clWaitForEvents");
}

}  // namespace isthmus::offload::opencl
