#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "isthmus/base/data_file.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"
#include "isthmus/cluster/scheme.hpp"
#include "isthmus/hpcc/benchmark.hpp"

namespace isthmus::hpcc {
namespace {

constexpr std::string_view kSource = "the kernel's source";

/// kernels/hpcc/BENCHMARK_VARIANT_SHAPE.cl, or without the shape where one file serves both.
std::string shipped_file(const std::string& benchmark, const RunConditions& conditions) {
  if (conditions.variant == Variant::single) return fmt::format("kernels/hpcc/{}_single.cl", benchmark);
  const auto shaped = fmt::format("kernels/hpcc/{}_ndrange_{}.cl", benchmark, conditions.shape());
  const auto common = fmt::format("kernels/hpcc/{}_ndrange.cl", benchmark);
  const auto folder = data_file("kernels/hpcc");
  return std::filesystem::exists(folder / std::filesystem::path(shaped).filename()) ? shaped : common;
}

}  // namespace

Job::Job(std::string benchmark, Parts parts)
    : benchmark_(std::move(benchmark)), parts_(std::move(parts)), queue_(parts_.device->queue()) {}

std::unique_ptr<offload::Program> Job::compile(const std::string& file, const std::string& options) const {
  const bool shipped = file.starts_with("kernels/");
  std::vector<offload::ProgramSource> sources;
  for (const char* header : {"kernels/hpcc/hls.h", "kernels/hpcc/types.h"})
    sources.push_back({header, read_whole(data_file(header), kSource)});
  sources.push_back({file, "#line 1\n" + read_whole(shipped ? data_file(file) : std::filesystem::path(file), kSource)});
  return device().program(sources, parameters().build_options() + " " + options);
}

std::unique_ptr<offload::Program> Job::program(const std::string& options) {
  if (!parts_.binary.empty()) {
    used_file_ = parts_.binary;
    return device().program_from_binary(parts_.binary);
  }
  used_file_ = parts_.kernel_file.empty() ? shipped_file(benchmark_, conditions()) : parts_.kernel_file;
  return compile(used_file_, options);
}

std::unique_ptr<offload::Program> Job::special_program(const std::string& name) {
  if (!conditions().optimized || !parts_.binary.empty() || !parts_.kernel_file.empty()) return {};
  const auto file = fmt::format("kernels/hpcc/{}.cl", name);
  try {
    auto program = compile(file, {});
    used_file_ = file;
    return program;
  } catch (const offload::BuildRefused&) {
    return {};
  }
}

const std::string& Job::choose_scheme() {
  used_scheme_ = scheme();
  if (used_scheme_.empty())
    used_scheme_ = conditions().optimized ? cluster::best_scheme(device(), ranks()) : std::string("staged");
  return used_scheme_;
}

std::unique_ptr<offload::Program> Job::own_program(const std::string& name, const std::string& options) {
  return compile(fmt::format("kernels/hpcc/{}.cl", name), options);
}

void Job::spoil(const offload::Buffer& buffer) {
  constexpr std::byte kOnes{0xff};  // in IEEE 754 of any width no number
  queue_->fill(buffer, std::span(&kOnes, 1)).wait();
}

std::vector<offload::Kernel> Job::replications(const offload::Program& program, const std::string& name) const {
  const auto count = static_cast<std::size_t>(parameters().integer("NUM_REPLICATIONS"));
  std::vector<offload::Kernel> kernels;
  for (std::size_t each = 0; each < count; ++each) {
    const std::string own = parts_.side_file ? parts_.side_file->kernel_name(name, each) : name;
    if (parts_.side_file && !program.has(own))
      throw Error(fmt::format("{}: no kernel '{}' in it, expected NUM_REPLICATIONS={} of '{}'", parts_.binary, own,
                              count, name));
    kernels.push_back(program.kernel(own));
  }
  return kernels;
}

offload::Buffer Job::buffer(std::size_t bytes, const offload::Kernel& kernel, std::uint32_t index,
                            const std::string& name, std::size_t replica) const {
  if (!parts_.side_file) return device().buffer(bytes);
  return device().buffer(bytes, parts_.side_file->bank(kernel, index, name, replica));
}

double Job::timed(const std::function<void()>& body) const {
  if (!finishes_) stop_if_interrupted();
  ranks().barrier();
  const double start = now();
  body();
  return now() - start;
}

void Job::launched(const std::string& metric, std::size_t replication, offload::Event event) {
  keep({.metric = metric, .phase = {}, .turn = 0, .replication = replication, .events = {std::move(event)}});
}

void Job::launched(const std::string& metric, std::size_t replication, offload::Event event, const std::string& phase,
                   int turn) {
  keep({.metric = metric, .phase = phase, .turn = turn, .replication = replication, .events = {std::move(event)}});
}

bool Job::KeptLaunch::is_with(const KeptLaunch& other) const {
  return !phase.empty() && turn == other.turn && replication == other.replication && phase == other.phase &&
         metric == other.metric;
}

void Job::keep(KeptLaunch launch) {
  // PoCL 3.1 loses count of a kernel's code, and aborts, when several queues start it for the first time at once.
  if (begun_.emplace(launch.metric, launch.phase, launch.replication).second) launch.events.front().wait();
  const auto phase =
      std::find_if(launches_.rbegin(), launches_.rend(), [&](const KeptLaunch& each) { return each.is_with(launch); });
  if (phase == launches_.rend())
    launches_.push_back(std::move(launch));
  else
    phase->events.push_back(std::move(launch.events.front()));
}

offload::Span Job::KeptLaunch::span() const {
  offload::Span whole = events.front().span();
  for (const offload::Event& each : events) {
    const offload::Span span = each.span();
    whole = {.start = std::min(whole.start, span.start), .end = std::max(whole.end, span.end)};
  }
  return whole;
}

std::vector<Launch> Job::launches() const {
  std::vector<Launch> all;
  all.reserve(launches_.size());
  for (const KeptLaunch& each : launches_)
    all.push_back({.metric = each.metric,
                   .phase = each.phase,
                   .turn = each.turn,
                   .rank = ranks().rank(),
                   .replication = static_cast<int>(each.replication),
                   .span = each.span()});
  return all;
}

std::int64_t Job::memory_limit() const {
  const auto& device = conditions().device;
  return conditions().on_cpu() ? device.global_memory / conditions().sharers : device.global_memory;
}

}  // namespace isthmus::hpcc
