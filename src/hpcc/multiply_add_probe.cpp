#include "hpcc/multiply_add_probe.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace isthmus::hpcc {
namespace {

constexpr double kChains = 16;           // of the kernel
constexpr std::size_t kCpuVector = 64;   // bytes: the widest register
constexpr std::size_t kGpuItems = 2048;  // of each compute unit: what one of them holds at once
constexpr std::int32_t kCpuRounds = 200'000;
constexpr std::int32_t kGpuRounds = 4'000;

std::string arithmetic_type(const std::string& data_type) {
  return data_type == "half" ? "float" : data_type;
}

// Whatever shape the benchmark's own kernels have, the probe has the device's.
bool on_cpu(const Job& job) {
  return job.setting().device.type == "cpu";
}

std::size_t vector_width(const Job& job, const std::string& type) {
  return on_cpu(job) ? kCpuVector / size_of_type(type) : 1;
}

}  // namespace

MultiplyAddProbe::MultiplyAddProbe(Job& job, const std::string& data_type)
    : job_(job),
      width_(vector_width(job, arithmetic_type(data_type))),
      items_(static_cast<std::size_t>(job.setting().device.compute_units) * (on_cpu(job) ? 1 : kGpuItems)),
      out_(job.device().buffer(items_ * width_ * size_of_type(arithmetic_type(data_type)))) {
  const std::string values = arithmetic_type(data_type) + (width_ == 1 ? "" : std::to_string(width_));
  if (job.has_probes())
    kernel_ = job.own_program("probe_multiply_add", "-DPROBE_VALUES=" + values).kernel("probe_multiply_add");
}

double MultiplyAddProbe::rate() {
  if (!kernel_) return kNoExpectation;
  const bool cpu = on_cpu(job_);
  const std::int32_t rounds = cpu ? kCpuRounds : kGpuRounds;
  const offload::NdRange range =
      cpu ? offload::NdRange{.global = {items_, 1, 1}, .local = {1, 1, 1}} : offload::NdRange{.global = {items_, 1, 1}};
  const double seconds = job_.timed([&] {
    job_.queue().launch(*kernel_, range, {&out_, rounds});
    job_.queue().finish();
  });
  return 2 * kChains * rounds * static_cast<double>(items_ * width_) / seconds;
}

}  // namespace isthmus::hpcc
