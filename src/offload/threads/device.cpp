#include "offload/threads/device.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "isthmus/base/clock.hpp"
#include "isthmus/base/data_file.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/offload/open.hpp"
#include "offload/threads/host.hpp"

namespace isthmus::offload {
namespace threads {

ThreadedDevice::ThreadedDevice(std::shared_ptr<ComputeDevice> owner, double opened)
    : owner_(std::move(owner)), properties_(owner_->properties()), opened_(opened) {
  align_clocks();
  properties_.opening = clock();
}

Time ThreadedDevice::clock() const {
  constexpr double kNanoseconds = 1e9;
  return Time::ns(std::llround((owner_->now() - opened_) * kNanoseconds));
}

Time ThreadedDevice::on_clock(std::uint64_t device_nanoseconds) const {
  return Time::ns(static_cast<std::int64_t>(device_nanoseconds) - device_nanoseconds_at_opening_);
}

/// The device's timer has an origin and a pace of its own: a command, seen by both clocks, tells the distance. Of
/// several commands the one whose call took the shortest counts: others may have had the processor meanwhile. What is
/// queued counts from the end of that call, so that nothing seems to start before it was asked for.
void ThreadedDevice::align_clocks() {
  constexpr int kTrials = 5;
  constexpr std::array<std::byte, 4> kZeros{};
  const Buffer memory = owner_->buffer(kZeros.size());
  const auto commands = owner_->queue();
  Time shortest;
  for (int trial = 0; trial < kTrials; ++trial) {
    const Time before = clock();
    const ComputeEvent seen = commands->start_write(memory, 0, kZeros);
    aligned_at_ = clock();
    seen.wait();
    if (trial != 0 && aligned_at_ - before >= shortest) continue;
    shortest = aligned_at_ - before;
    device_nanoseconds_at_opening_ =
        static_cast<std::int64_t>(seen.queued()) - aligned_at_.femtoseconds() / Time::ns(1).femtoseconds();
  }
}

Buffer ThreadedDevice::allocate(Bytes size) {
  return owner_->buffer(static_cast<std::size_t>(size.count));
}

PinnedBuffer ThreadedDevice::pin(Bytes size) {
  return owner_->pinned(static_cast<std::size_t>(size.count));
}

Time ThreadedDevice::access_registers(const RegisterAccess&, int) {
  throw Error(fmt::format("device '{}': OpenCL does not reach its registers, expected a model", properties_.name));
}

HostAccessLatency ThreadedDevice::access_host_memory(const HostAccess&) {
  throw Error(fmt::format("device '{}': OpenCL does not let it access the host's memory by itself, expected a model",
                          properties_.name));
}

Kernel ThreadedDevice::kernel(const std::string& name) {
  const std::string file = fmt::format("kernels/{}.cl", name);
  const ProgramSource source{.file = file, .text = read_whole(data_file(file), "the kernel's source")};
  return owner_->program({&source, 1}, {})->kernel(name);
}

std::unique_ptr<Queue> ThreadedDevice::queue() {
  return std::make_unique<ThreadedQueue>(owner_->queue());
}

ThreadedQueue::~ThreadedQueue() {
  try {
    queue->finish();
  } catch (const Error&) {
    // A device that is gone has nothing left to wait for.
  }
}

std::unique_ptr<Mailbox> ThreadedDevice::mailbox(std::size_t depth) {
  return std::make_unique<ThreadedMailbox>(depth);
}

void ThreadedDevice::run(std::vector<HostThread> threads) {
  constexpr auto kApart = Time::ms(100);  // in which two clocks, some millionths apart, lose some microseconds
  if (clock() - aligned_at_ > kApart) align_clocks();
  run_threads(*this, threads);
}

Span ThreadedEvent::span() const {
  const DeviceSpan span = event_.span();
  return {device_.on_clock(span.start), device_.on_clock(span.end)};
}

}  // namespace threads

std::unique_ptr<Device> open_opencl(const std::string& target) {
  const double opened = monotonic_seconds();
  return std::make_unique<threads::ThreadedDevice>(open_compute(target), opened);
}

}  // namespace isthmus::offload
