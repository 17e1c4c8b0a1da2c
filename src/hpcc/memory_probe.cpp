#include "hpcc/memory_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace isthmus::hpcc {
namespace {

/// How a kernel goes through arrays: which is quickest depends on the device, and on whether its caches hold them.
struct AccessShape {
  const char* values;
  std::size_t piece;  // bytes of those
  bool streams;       // past the caches
};

constexpr std::array kCpuShapes{AccessShape{.values = "float16", .piece = 64, .streams = true},  // a cache line
                                AccessShape{.values = "float16", .piece = 64, .streams = false}};
constexpr std::array kGpuShapes{
    AccessShape{.values = "float4", .piece = 16, .streams = true},  // a work-item's widest load
    AccessShape{.values = "float8", .piece = 32, .streams = true}};
constexpr std::uint64_t kCpuStretch = 1024;  // pieces of a work-item: 64 KiB, one stream of a core

}  // namespace

MemoryProbe::MemoryProbe(Job& job) : job_(job), cpu_(job.conditions().shape() == "cpu") {
  if (!job.has_probes()) return;
  for (const AccessShape& shape : cpu_ ? kCpuShapes : kGpuShapes) {
    const auto options = fmt::format("-DPROBE_VALUES={} -DPROBE_STREAMS={}", shape.values, shape.streams ? 1 : 0);
    ways_.push_back({job.own_program("probe_memory", options)->kernel("probe_memory"), shape.piece});
  }
}

double MemoryProbe::rate(const offload::Buffer& in1, const offload::Buffer& in2, const offload::Buffer& out, int inputs,
                         std::size_t bytes) {
  double best = ways_.empty() ? kNoExpectation : 0;
  for (const Way& way : ways_) {
    const std::uint64_t pieces = bytes / way.piece;
    const std::uint64_t stretch = cpu_ && pieces % kCpuStretch == 0 ? kCpuStretch : 1;
    const offload::NdRange range{.global = {pieces / stretch, 1, 1}};
    const double seconds = job_.timed([&] {
      job_.queue().launch(way.kernel, range,
                          {&in1, &in2, &out, std::int32_t{inputs}, stretch, stretch, std::uint64_t{1}});
      job_.queue().finish();
    });
    best = std::max(best, static_cast<double>(pieces * way.piece) * (inputs + 1) / seconds);
  }
  return best;
}

}  // namespace isthmus::hpcc
