#include "isthmus/probes/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"

namespace isthmus::probes {
namespace {

constexpr std::int64_t kPiece = 16;           // what a work item reads: an OpenCL uint4
constexpr std::int64_t kEnough = 256 * 1024;  // bytes of a kernel whose time is well above a timer's grain
constexpr std::int64_t kPage = 4096;          // passes over less than that start a page further each
constexpr std::int64_t kMostPasses = 256;

/// How a kernel goes through the memory: `passes` times, each waiting for the one before.
struct Walk {
  std::int64_t size;
  std::int64_t burst;
  std::int64_t stride;  ///< from pass to pass
  std::int64_t passes;
};

Walk walk_of(Bytes size, Bytes burst) {
  if (size.count % kPiece != 0 || burst.count % kPiece != 0 || size.count % burst.count != 0)
    throw Error(fmt::format("device memory by {} B in bursts of {} B: expected multiples of {} B and whole bursts",
                            size.count, burst.count, kPiece));
  return {.size = size.count,
          .burst = burst.count,
          .stride = std::max(size.count, kPage),
          .passes = std::clamp<std::int64_t>(kEnough / size.count, 1, kMostPasses)};
}

/// A kernel and what it needs, ready to be launched.
class Launcher {
 public:
  Launcher(offload::Device& device, Access access, const Walk& walk)
      : device_(device),
        walk_(walk),
        kernel_(device.kernel(access == Access::read ? "device_read" : "device_write")),
        memory_(device.allocate({walk.stride * walk.passes})),
        sink_(device.allocate({kPiece})),
        queue_(device.queue()) {}

  /// The reading kernel takes what it reads as part of its next address: it must read zeros.
  void clear(offload::Host& host) {
    const std::vector<std::byte> zeros(static_cast<std::size_t>(memory_->size().count));
    host.write(*queue_, *memory_, zeros, offload::Call::blocking);
  }

  offload::Event launch(offload::Host& host, std::int64_t passes) {
    stop_if_interrupted();
    const auto integer = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
    const offload::Event event = host.launch(
        *queue_, {.kernel = *kernel_,
                  .arguments = {memory_.get(), sink_.get(), integer(walk_.burst / kPiece),
                                integer(walk_.size / walk_.burst), integer(walk_.stride / kPiece), integer(passes)},
                  .columns = static_cast<std::size_t>(walk_.size / kPiece)});
    host.wait(event);
    return event;
  }

  bool modelled() const { return device_.info().modelled; }
  std::int64_t passes() const { return walk_.passes; }

 private:
  offload::Device& device_;
  Walk walk_;
  std::unique_ptr<offload::Kernel> kernel_;
  std::unique_ptr<offload::Buffer> memory_;
  std::unique_ptr<offload::Buffer> sink_;
  std::unique_ptr<offload::Queue> queue_;
};

/// The time of one pass, from launches with and without passes.
Time pass_time(Time with, Time without, std::int64_t passes) {
  constexpr Time kGrain = Time::ns(1);  // of an OpenCL device's timer
  return Time::fs(std::max(with - without, kGrain).femtoseconds() / passes);
}

}  // namespace

std::vector<Time> time_memory(offload::Device& device, Access access, Bytes size, Bytes burst, int samples) {
  Launcher launcher(device, access, walk_of(size, burst));
  std::vector<Time> times;
  device.run({{"probe", [&](offload::Host& host) {
                 if (access == Access::read && !launcher.modelled()) launcher.clear(host);
                 if (!launcher.modelled()) launcher.launch(host, launcher.passes());
                 for (int i = 0; i < samples; ++i) {
                   const Time without = launcher.launch(host, 0)->span().length();
                   const Time with = launcher.launch(host, launcher.passes())->span().length();
                   times.push_back(pass_time(with, without, launcher.passes()));
                 }
               }}});
  return times;
}

std::vector<Time> time_launches(offload::Device& device, int samples) {
  Launcher launcher(device, Access::read, walk_of({kPiece}, {kPiece}));
  std::vector<Time> times;
  device.run({{"probe", [&](offload::Host& host) {
                 if (!launcher.modelled()) launcher.launch(host, 0);
                 for (int i = 0; i < samples; ++i) {
                   const Time start = host.now();
                   launcher.launch(host, 0);
                   times.push_back(host.now() - start);
                 }
               }}});
  return times;
}

}  // namespace isthmus::probes
