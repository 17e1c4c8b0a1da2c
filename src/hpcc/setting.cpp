#include "hpcc/setting.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"

namespace isthmus::hpcc {
namespace {

Variant variant_of(const std::string& text, const offload::ComputeProperties& device) {
  if (text.empty()) return device.type == "cpu" || device.type == "gpu" ? Variant::ndrange : Variant::single;
  if (text == "single") return Variant::single;
  if (text == "ndrange") return Variant::ndrange;
  throw Error(fmt::format("--variant: expected single or ndrange, got '{}'", text));
}

std::string shape_of(const std::string& text) {
  if (text.empty() || text == "cpu" || text == "gpu") return text;
  throw Error(fmt::format("--shape: expected cpu or gpu, got '{}'", text));
}

Size size_of(const std::string& text) {
  if (text == "small") return Size::small;
  if (text == "standard") return Size::standard;
  throw Error(fmt::format("--size: expected small or standard, got '{}'", text));
}

}  // namespace

const Entry& entry_of(const std::string& name) {
  const auto all = all_benchmarks();
  const auto found = std::ranges::find(all, name, &Entry::name);
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  for (const Entry& entry : all) names.emplace_back(entry.name);
  throw Error(unknown_name("benchmark", name, names));
}

int growth_of(const Setting& setting, double bytes, int factor) {
  constexpr double kCaches = 4;         // STREAM's rule
  constexpr double kShareOfMemory = 8;  // of which buffers of hosts and probes take as much again
  const double memory = static_cast<double>(setting.device.global_memory) / (setting.on_cpu() ? setting.ranks : 1);
  int times = 0;
  while (bytes < kCaches * static_cast<double>(setting.device.cache) && bytes * factor <= memory / kShareOfMemory) {
    bytes *= factor;
    ++times;
  }
  return times;
}

Setting setting_of(const Request& request, const offload::ComputeProperties& device, int ranks) {
  return {.device = device,
          .variant = variant_of(request.variant, device),
          .size = size_of(request.size),
          .optimized = request.optimized,
          .ranks = ranks,
          .asked_shape = shape_of(request.shape)};
}

}  // namespace isthmus::hpcc
