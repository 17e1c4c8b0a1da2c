#pragma once

#include <memory>
#include <vector>

#include "isthmus/offload/compute.hpp"
#include "isthmus/offload/device.hpp"

namespace isthmus::offload::threads {

/// A real device behind the flow's interface: host threads are threads, the clock is the wall. What a device does is
/// asked of its owner.
class ThreadedDevice final : public Device {
 public:
  /// `opened` is the moment on the owner's clock at which opening it began.
  ThreadedDevice(std::shared_ptr<ComputeDevice> owner, double opened);

  const DeviceProperties& properties() const override { return properties_; }
  Time clock() const override;
  Buffer allocate(Bytes size) override;
  PinnedBuffer pin(Bytes size) override;
  Kernel kernel(const std::string& name) override;
  std::unique_ptr<Queue> queue() override;
  std::unique_ptr<Mailbox> mailbox(std::size_t depth) override;
  void run(std::vector<HostThread> threads) override;
  Time access_registers(const RegisterAccess& access, int count) override;
  HostAccessLatency access_host_memory(const HostAccess& access) override;

  /// What the device's own timer counts, on `clock`.
  Time on_clock(std::uint64_t device_nanoseconds) const;

 private:
  void align_clocks();

  std::shared_ptr<ComputeDevice> owner_;
  DeviceProperties properties_;
  double opened_;
  std::int64_t device_nanoseconds_at_opening_ = 0;
  Time aligned_at_;
};

struct ThreadedQueue final : Queue {
  explicit ThreadedQueue(std::unique_ptr<ComputeQueue> made) : queue(std::move(made)) {}
  ~ThreadedQueue() override;
  ThreadedQueue(const ThreadedQueue&) = delete;
  ThreadedQueue& operator=(const ThreadedQueue&) = delete;
  std::unique_ptr<ComputeQueue> queue;
};

class ThreadedEvent final : public EventState {
 public:
  ThreadedEvent(const ThreadedDevice& device, ComputeEvent event) : device_(device), event_(std::move(event)) {}
  Span span() const override;
  const ComputeEvent& event() const { return event_; }

 private:
  const ThreadedDevice& device_;
  ComputeEvent event_;
};

}  // namespace isthmus::offload::threads
