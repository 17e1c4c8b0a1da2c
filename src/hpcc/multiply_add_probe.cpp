#include "hpcc/multiply_add_probe.hpp"

#include <fmt/format.h>
namespace isthmus::hpcc {
namespace {

constexpr double kChains = 16;             // of the kernel
constexpr double kTensorOfRound = 8 * 32;  // its chains by the multiply-adds of one instruction for each work-item
constexpr std::size_t kCpuVector = 64;     // bytes: the widest register
constexpr std::size_t kGpuItems = 2048;    // of each compute unit: what one of them holds at once
constexpr std::int32_t kCpuRounds = 200'000;
constexpr std::int32_t kGpuRounds = 4'000;
constexpr std::int32_t kTensorRounds = 500;

std::string arithmetic_type(const std::string& data_type) {
  return data_type == "half" ? "float" : data_type;
}

std::size_t vector_width(const Job& job, const std::string& type) {
  return job.conditions().on_cpu() ? kCpuVector / size_of_type(type) : 1;
}

offload::Kernel scalar_kernel(Job& job, const std::string& type, std::size_t width) {
  const std::string vector = width == 1 ? std::string() : std::to_string(width);
  return job.own_program("probe_multiply_add", fmt::format("-DPROBE_VALUES={}{}", type, vector))
      ->kernel("probe_multiply_add");
}

}  // namespace

MultiplyAddProbe::MultiplyAddProbe(Job& job, const std::string& data_type, MultiplyAdder unit)
    : job_(job),
      width_(vector_width(job, arithmetic_type(data_type))),
      items_(static_cast<std::size_t>(job.conditions().device.compute_units) *
             (job.conditions().on_cpu() ? 1 : kGpuItems)),
      rounds_(job.conditions().on_cpu() ? kCpuRounds : (unit == MultiplyAdder::tensor ? kTensorRounds : kGpuRounds)),
      of_round_(unit == MultiplyAdder::tensor ? kTensorOfRound : kChains),
      out_(job.device().buffer(items_ * width_ * size_of_type(arithmetic_type(data_type)))) {
  if (!job.has_probes()) return;
  kernel_ = unit == MultiplyAdder::tensor ? job.own_program("probe_tensor")->kernel("probe_tensor")
                                          : scalar_kernel(job, arithmetic_type(data_type), width_);
}

double MultiplyAddProbe::rate() {
  if (!kernel_) return kNoExpectation;
  const offload::NdRange range = job_.conditions().on_cpu()
                                     ? offload::NdRange{.global = {items_, 1, 1}, .local = {1, 1, 1}}
                                     : offload::NdRange{.global = {items_, 1, 1}};
  const double seconds = job_.timed([&] {
    job_.queue().launch(*kernel_, range, {&out_, rounds_});
    job_.queue().finish();
  });
  return 2 * of_round_ * rounds_ * static_cast<double>(items_ * width_) / seconds;
}

}  // namespace isthmus::hpcc
