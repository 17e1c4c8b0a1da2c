#pragma once

#include <chrono>
#include <span>

#include "isthmus/offload/device.hpp"
#include "offload/opencl/api.hpp"

namespace isthmus::offload::opencl {

using WallClock = std::chrono::steady_clock;

/// A real OpenCL device behind the common interface. Its clock is the wall; host threads are threads.
class OpenClDevice final : public Device {
 public:
  OpenClDevice(cl_device_id id, WallClock::time_point opened);

  const DeviceInfo& info() const override { return info_; }
  Time clock() const override;
  std::unique_ptr<offload::Buffer> allocate(Bytes size) override;
  std::unique_ptr<offload::PinnedBuffer> pin(Bytes size) override;
  std::unique_ptr<offload::Kernel> kernel(const std::string& name) override;
  std::unique_ptr<offload::Queue> queue() override;
  std::unique_ptr<offload::Mailbox> mailbox(std::size_t depth) override;
  void run(std::vector<HostThread> threads) override;
  Time access_registers(const RegisterAccess& access, int count) override;
  HostAccessLatency access_host_memory(const HostAccess& access) override;

  /// What the device's own timer counts, on `clock`.
  Time on_clock(cl_ulong device_nanoseconds) const;
  /// Throws Error unless `code` is CL_SUCCESS.
  void check(cl_int code, const char* call) const { opencl::check(code, call, info_.name); }

 private:
  Handle<cl_command_queue> new_queue() const;
  Handle<cl_program> build(const std::string& file) const;
  Handle<cl_mem> take(Bytes size, cl_mem_flags flags, const char* what) const;
  void align_clocks();

  cl_device_id id_;
  DeviceInfo info_;
  WallClock::time_point opened_;
  std::int64_t device_nanoseconds_at_opening_ = 0;
  Time aligned_at_;
  Handle<cl_context> context_;
};

class OpenClBuffer final : public Buffer {
 public:
  OpenClBuffer(Handle<cl_mem> memory, Bytes size) : memory_(std::move(memory)), size_(size) {}
  Bytes size() const override { return size_; }
  cl_mem handle() const { return memory_.get(); }

 private:
  Handle<cl_mem> memory_;
  Bytes size_;
};

/// Memory of the host that the driver allocated, and so knows to be pinned: mapped for as long as it lives.
class OpenClPinnedBuffer final : public PinnedBuffer {
 public:
  OpenClPinnedBuffer(const OpenClDevice& device, Handle<cl_mem> memory, Handle<cl_command_queue> queue, Bytes size);
  ~OpenClPinnedBuffer() override;
  OpenClPinnedBuffer(const OpenClPinnedBuffer&) = delete;
  OpenClPinnedBuffer& operator=(const OpenClPinnedBuffer&) = delete;
  std::span<std::byte> bytes() override { return bytes_; }

 private:
  Handle<cl_mem> memory_;
  Handle<cl_command_queue> queue_;
  std::span<std::byte> bytes_;
};

class OpenClKernel final : public Kernel {
 public:
  explicit OpenClKernel(Handle<cl_kernel> kernel) : kernel_(std::move(kernel)) {}
  cl_kernel handle() const { return kernel_.get(); }

 private:
  Handle<cl_kernel> kernel_;
};

class OpenClQueue final : public Queue {
 public:
  explicit OpenClQueue(Handle<cl_command_queue> queue) : queue_(std::move(queue)) {}
  ~OpenClQueue() override { clFinish(queue_.get()); }
  OpenClQueue(const OpenClQueue&) = delete;
  OpenClQueue& operator=(const OpenClQueue&) = delete;
  cl_command_queue handle() const { return queue_.get(); }

 private:
  Handle<cl_command_queue> queue_;
};

class OpenClEvent final : public EventState {
 public:
  OpenClEvent(const OpenClDevice& device, Handle<cl_event> event) : device_(device), event_(std::move(event)) {}
  Span span() const override;
  /// Blocks until the command is complete; throws Error if it failed.
  void wait() const;
  cl_event handle() const { return event_.get(); }

 private:
  const OpenClDevice& device_;
  Handle<cl_event> event_;
};

}  // namespace isthmus::offload::opencl
