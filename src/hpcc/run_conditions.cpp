#include "hpcc/run_conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"
#include "isthmus/cluster/scheme.hpp"

namespace isthmus::hpcc {
namespace {

/// The place of `word` in `words`. Throws Error with the nearest where it is none of them.
std::size_t place_of(const std::string& word, const std::array<std::string, 2>& words, const char* what) {
  const auto found = std::ranges::find(words, word);
  if (found == words.end()) throw Error(fmt::format("--{}: {}", what, unknown_name(what, word, words)));
  return static_cast<std::size_t>(found - words.begin());
}

Variant variant_of(const std::string& text, const offload::DeviceProperties& device) {
  if (text.empty()) return device.type == "cpu" || device.type == "gpu" ? Variant::ndrange : Variant::single;
  return std::array{Variant::single, Variant::ndrange}[place_of(text, {"single", "ndrange"}, "variant")];
}

std::string shape_of(const std::string& text) {
  if (!text.empty()) place_of(text, {"cpu", "gpu"}, "shape");
  return text;
}

Size size_of(const std::string& text) {
  return std::array{Size::small, Size::standard}[place_of(text, {"small", "standard"}, "size")];
}

void require_scheme(const Request& request) {
  if (request.scheme.empty()) return;
  cluster::require_scheme(request.scheme);
  if (!entry_of(request.benchmark).exchanges)
    throw Error(
        fmt::format("--scheme {}: ranks of benchmark '{}' exchange nothing", request.scheme, request.benchmark));
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

int growth_of(const RunConditions& conditions, double bytes, int factor) {
  constexpr double kCaches = 4;         // STREAM's rule
  constexpr double kShareOfMemory = 8;  // of which buffers of hosts and probes take as much again
  const double memory =
      static_cast<double>(conditions.device.global_memory) / (conditions.on_cpu() ? conditions.sharers : 1);
  int times = 0;
  while (bytes < kCaches * static_cast<double>(conditions.device.cache) && bytes * factor <= memory / kShareOfMemory) {
    bytes *= factor;
    ++times;
  }
  return times;
}

RunConditions conditions_of(const Request& request, const offload::DeviceProperties& device, int ranks) {
  require_scheme(request);
  return {.device = device,
          .variant = variant_of(request.variant, device),
          .size = size_of(request.size),
          .optimized = request.optimized,
          .ranks = ranks,
          .asked_shape = shape_of(request.shape)};
}

}  // namespace isthmus::hpcc
