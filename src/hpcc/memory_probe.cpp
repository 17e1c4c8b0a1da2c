#include "hpcc/memory_probe.hpp"

#include <cstdint>

namespace isthmus::hpcc {
namespace {

constexpr std::size_t kCpuPiece = 64;        // bytes: a cache line
constexpr std::size_t kGpuPiece = 16;        // bytes: the widest load of a GPU's work-item
constexpr std::uint64_t kCpuStretch = 1024;  // pieces of a work-item: 64 KiB, one stream of a core

}  // namespace

MemoryProbe::MemoryProbe(Job& job) : job_(job), cpu_(job.setting().shape() == "cpu") {
  if (job.has_probes())
    kernel_ = job.own_program("probe_memory", cpu_ ? "-DPROBE_VALUES=float16" : "-DPROBE_VALUES=float4")
                  .kernel("probe_memory");
}

double MemoryProbe::rate(const offload::ComputeBuffer& in1, const offload::ComputeBuffer& in2,
                         const offload::ComputeBuffer& out, int inputs, std::size_t bytes) {
  if (!kernel_) return kNoExpectation;
  const std::uint64_t pieces = bytes / (cpu_ ? kCpuPiece : kGpuPiece);
  const std::uint64_t stretch = cpu_ ? (pieces % kCpuStretch == 0 ? kCpuStretch : 1) : 1;
  const offload::NdRange range{.global = {pieces / stretch, 1, 1}};
  const double seconds = job_.timed([&] {
    job_.queue().launch(*kernel_, range, {&in1, &in2, &out, std::int32_t{inputs}, stretch, stretch, std::uint64_t{1}});
    job_.queue().finish();
  });
  return static_cast<double>(bytes) * (inputs + 1) / seconds;
}

}  // namespace isthmus::hpcc
