#include "isthmus/probes/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"
#include "isthmus/platform/needs.hpp"

namespace isthmus::probes {
namespace {

constexpr std::int64_t kPiece = 16;  // what a work item reads: an OpenCL uint4
constexpr std::int64_t kEnoughToTime =
    64 * 1024 * 1024;  // bytes that take any device's memory longer than its timer's grain
constexpr std::int64_t kEnoughOfAModel = 256 * 1024;  // whose timer has none
constexpr std::int64_t kPage = 4096;                  // passes over less than that start a page further each
constexpr std::int64_t kMostPasses = 256;

/// How a kernel goes through the memory: `passes` times, each waiting for the one before.
struct Walk {
  std::int64_t size;
  std::int64_t burst;
  std::int64_t stride;  ///< bytes from one pass to the next
  std::int64_t passes;
};

Walk walk_of(Bytes size, Bytes burst, bool modelled) {
  if (size.count % kPiece != 0 || burst.count % kPiece != 0 || size.count % burst.count != 0)
    throw Error(fmt::format("device memory by {} B in bursts of {} B: expected multiples of {} B and whole bursts",
                            size.count, burst.count, kPiece));
  return {
      .size = size.count,
      .burst = burst.count,
      .stride = std::max(size.count, kPage),
      .passes = std::clamp<std::int64_t>((modelled ? kEnoughOfAModel : kEnoughToTime) / size.count, 1, kMostPasses)};
}

/// Tells whether a kernel is to touch the device's memory: one that is not needs none.
enum class Touches { memory, nothing };

/// A kernel and what it needs, ready to be launched.
class Launcher {
 public:
  Launcher(offload::Device& device, Access access, const Walk& walk, Touches touches)
      : device_(device),
        walk_(walk),
        kernel_(device.kernel(access == Access::read ? "device_read" : "device_write")),
        queue_(device.queue()) {
    if (touches == Touches::nothing && device.properties().global_memory == 0) return;
    memory_ = device.buffer(static_cast<std::size_t>(walk.stride * walk.passes));
    sink_ = device.buffer(kPiece);
  }

  /// The reading kernel takes what it reads as part of its next address: it must read zeros.
  void clear() {
    const offload::Buffer& memory = platform::needed(memory_);
    const std::vector<std::byte> zeros(memory.size());
    queue_->write(memory, 0, zeros);
  }

  /// All passes over the memory.
  Time walk() { return launch(walk_.passes, walk_.size / kPiece); }
  /// Makes none of them, by one work item: what any launch costs. That of many items would hide behind their work.
  Time nothing() { return launch(0, 1); }

  bool modelled() const { return device_.properties().modelled; }
  std::int64_t passes() const { return walk_.passes; }

 private:
  static const offload::Buffer* of(const std::optional<offload::Buffer>& buffer) { return buffer ? &*buffer : nullptr; }
  /// The time for which the kernel ran.
  Time launch(std::int64_t passes, std::int64_t items) {
    stop_if_interrupted();
    const auto integer = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
    const offload::Event event =
        queue_->launch(kernel_, {.global = {static_cast<std::size_t>(items), 1, 1}},
                       {of(memory_), of(sink_), integer(walk_.burst / kPiece), integer(walk_.size / walk_.burst),
                        integer(walk_.stride / kPiece), integer(passes)});
    event.wait();
    return event.span().length();
  }

  offload::Device& device_;
  Walk walk_;
  offload::Kernel kernel_;
  std::optional<offload::Buffer> memory_;
  std::optional<offload::Buffer> sink_;
  std::unique_ptr<offload::Queue> queue_;
};

/// The time of one pass, from launches with and without passes. Where noise made the one without the longer, nothing is
/// taken off: the device is at least so fast.
Time pass_time(Time with, Time without, std::int64_t passes) {
  return Time::fs((with > without ? with - without : with).femtoseconds() / passes);
}

class MemoryPasses final : public Sampler {
 public:
  MemoryPasses(offload::Device& device, Access access, const Walk& walk)
      : device_(device),
        launcher_(device, access, walk, Touches::memory),
        to_clear_(access == Access::read && !launcher_.modelled()) {}

  std::vector<Time> take(int samples) override {
    std::vector<Time> times;
    device_.run([&] {
      if (std::exchange(to_clear_, false)) launcher_.clear();
      if (!launcher_.modelled()) launcher_.walk();
      for (int i = 0; i < samples; ++i) launch_ = std::min(launch_, launcher_.nothing());
      for (int i = 0; i < samples; ++i) times.push_back(pass_time(launcher_.walk(), launch_, launcher_.passes()));
    });
    return times;
  }

 private:
  offload::Device& device_;
  Launcher launcher_;
  bool to_clear_;
  Time launch_ = Time::max();  ///< time of the shortest launch so far
};

class Launches final : public Sampler {
 public:
  explicit Launches(offload::Device& device)
      : device_(device),
        launcher_(device, Access::read, walk_of({kPiece}, {kPiece}, device.properties().modelled), Touches::nothing) {}

  std::vector<Time> take(int samples) override {
    std::vector<Time> times;
    device_.run([&] {
      if (!launcher_.modelled()) launcher_.nothing();
      for (int i = 0; i < samples; ++i) {
        const Moment start = device_.now();
        launcher_.nothing();
        times.push_back(device_.now() - start);
      }
    });
    return times;
  }

 private:
  offload::Device& device_;
  Launcher launcher_;
};

}  // namespace

std::unique_ptr<Sampler> memory_passes(offload::Device& device, Access access, Bytes size, Bytes burst) {
  return std::make_unique<MemoryPasses>(device, access, walk_of(size, burst, device.properties().modelled));
}

std::unique_ptr<Sampler> launches(offload::Device& device) {
  return std::make_unique<Launches>(device);
}

}  // namespace isthmus::probes
