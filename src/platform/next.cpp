#include "isthmus/platform/next.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <string_view>

#include "isthmus/base/error.hpp"
#include "platform/check.hpp"
#include "platform/override.hpp"

namespace isthmus::platform {
namespace {

/// Which values of a key make a board faster.
enum class Faster {
  less,
  more,
  either,  ///< depends on what passes
};

/// A key whose steps its kind does not tell.
struct Steps {
  std::string_view key;
  Faster faster;
  std::span<const double> built = {};  ///< the values that devices are built with, rising; empty: any that is allowed
};

constexpr std::array kGenerations = {1.0, 2.0, 3.0, 4.0, 5.0};
constexpr std::array kLinkWidths = {1.0, 2.0, 4.0, 8.0, 16.0};

constexpr std::array kSteps = std::to_array<Steps>({
    {"link.pcie.generation", Faster::more, kGenerations},
    {"link.pcie.lanes", Faster::more, kLinkWidths},
    {"link.pcie.max_read_request", Faster::either},
    {"link.pcie.read_completion_boundary", Faster::either},
    {"link.pcie.request_overhead", Faster::less},
    {"link.pcie.completion_overhead", Faster::less},
    {"link.pcie.dllp_size", Faster::less},
    {"link.pcie.update_fc_every", Faster::either},
    {"host.memory.latency", Faster::either},  // a part of the round trip, which the way to a register is without
    {"dma.descriptor_size", Faster::less},
    {"device.dram.row_size", Faster::either},
    {"device.dram.read_group", Faster::either},
    {"device.dram.write_group", Faster::either},
    {"stream.request_size", Faster::either},
    {"stream.buffer_size", Faster::either},
});

Steps steps_of(const Key& key) {
  const auto* found = std::ranges::find(kSteps, key.name, &Steps::key);
  if (found != kSteps.end()) return *found;
  const bool less = key.kind == Kind::time || key.kind == Kind::cycles;
  return {.key = key.name, .faster = less ? Faster::less : Faster::more};
}

/// The neighbour of `value`, in base units, in one direction; `value` itself where there is none.
double step(double value, bool up, const Key& key, std::span<const double> built) {
  if (built.empty()) {
    const bool whole = key.kind == Kind::count || key.kind == Kind::cycles || key.kind == Kind::bytes;
    const double next = std::clamp(up ? 2 * value : value / 2, key.low, key.high);
    return whole ? std::floor(next) : next;
  }
  if (up) {
    const auto above = std::ranges::upper_bound(built, value);
    return above == built.end() ? value : *above;
  }
  const auto here = std::ranges::lower_bound(built, value);
  return here == built.begin() ? value : *std::prev(here);
}

bool allowed(const Description& description, const Input& input, double value) {
  std::vector<Input> inputs(description.inputs().begin(), description.inputs().end());
  try {
    apply_override(inputs, fmt::format("{}={}", input.key->name, value));
    check_together(inputs, description.file());
    return true;
  } catch (const Error&) {
    return false;  // what it contradicts, another key or its own kind, is no step
  }
}

}  // namespace

NextValues next_values(const Description& description, const Input& input) {
  NextValues next;
  if (input.key->kind == Kind::flag) return next;
  const Steps steps = steps_of(*input.key);
  const double base = input.base();
  const double written = std::get<double>(input.value);
  const double scale = written == 0 ? 1 : base / written;
  for (const bool up : {true, false}) {
    const double value = step(base, up, *input.key, steps.built) / scale;
    if (value == written || !allowed(description, input, value)) continue;
    if (steps.faster == Faster::either || (steps.faster == Faster::more) == up) next.faster.push_back(value);
    if (steps.faster == Faster::either || (steps.faster == Faster::more) != up) next.slower.push_back(value);
  }
  return next;
}

}  // namespace isthmus::platform
