#include "hpcc/numbers_probe.hpp"

#include <algorithm>

namespace isthmus::hpcc {
namespace {

constexpr std::uint64_t kChains = 4;  // of the kernel
constexpr std::uint64_t kLanes = 8;   // of its vectors on a CPU
constexpr std::uint64_t kCpuItems = 64;
constexpr std::uint64_t kGpuItems = std::uint64_t{1} << 19U;

/// The least and the most that are made: some milliseconds of a core, or of a GPU.
struct Bounds {
  std::uint64_t least;
  std::uint64_t most;
};

Bounds bounds(bool on_cpu) {
  if (on_cpu) return {.least = std::uint64_t{1} << 22U, .most = std::uint64_t{1} << 26U};
  return {.least = std::uint64_t{1} << 26U, .most = std::uint64_t{1} << 32U};
}

}  // namespace

NumbersProbe::NumbersProbe(Job& job)
    : job_(job),
      items_(job.conditions().on_cpu() ? kCpuItems : kGpuItems),
      at_once_(kChains * (job.conditions().on_cpu() ? kLanes : 1)),
      found_(job.spare(items_ * sizeof(std::uint64_t))) {
  if (!job.has_probes()) return;
  kernel_ = job.own_program("probe_numbers", job.conditions().on_cpu() ? "-DPROBE_ON_CPU=1" : "-DPROBE_ON_CPU=0")
                ->kernel("probe_numbers");
}

double NumbersProbe::rate(std::uint64_t wanted, std::uint64_t index_mask, std::uint64_t first, std::uint64_t size) {
  if (!kernel_) return kNoExpectation;
  const auto [least, most] = bounds(job_.conditions().on_cpu());
  const std::uint64_t count = std::clamp(wanted, least, most) / (items_ * at_once_);
  // Left to itself a driver puts items that stand for cores into a group or two, which keep a core or two busy.
  const offload::NdRange range = job_.conditions().on_cpu()
                                     ? offload::NdRange{.global = {items_, 1, 1}, .local = {1, 1, 1}}
                                     : offload::NdRange{.global = {items_, 1, 1}};
  const double seconds = job_.timed([&] {
    job_.queue().launch(*kernel_, range, {&found_, count, index_mask, first, size});
    job_.queue().finish();
  });
  return static_cast<double>(count * items_ * at_once_) / seconds;
}

}  // namespace isthmus::hpcc
