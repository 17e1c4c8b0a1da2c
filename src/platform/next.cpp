#include "isthmus/platform/next.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "isthmus/base/error.hpp"
#include "platform/check.hpp"
#include "platform/override.hpp"

namespace isthmus::platform {
namespace {

Faster faster(const Key& key) {
  if (key.rules.faster) return *key.rules.faster;
  const bool less = key.quantity == Quantity::time || key.quantity == Quantity::cycles;
  return less ? Faster::less : Faster::more;
}

/// The neighbour of `value`, in base units, in one direction; `value` itself where there is none.
double step(double value, bool up, const Key& key) {
  const std::span<const double> built = key.rules.built;
  if (built.empty()) {
    const bool whole =
        key.quantity == Quantity::count || key.quantity == Quantity::cycles || key.quantity == Quantity::bytes;
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
  std::vector<Section> parts = description.parts();
  try {
    apply_override(parts, fmt::format("{}={}", input.name, value));
    check_together(parts, schema());
    return true;
  } catch (const Error&) {
    return false;  // what it contradicts, another key or its own kind, is no step
  }
}

}  // namespace

NextValues next_values(const Description& description, const Input& input) {
  NextValues next;
  if (!std::holds_alternative<double>(input.value)) return next;
  const Faster way = faster(*input.key);
  const double base = input.base();
  const double written = std::get<double>(input.value);
  const double scale = written == 0 ? 1 : base / written;
  for (const bool up : {true, false}) {
    const double value = step(base, up, *input.key) / scale;
    if (value == written || !allowed(description, input, value)) continue;
    if (way == Faster::either || (way == Faster::more) == up) next.faster.push_back(value);
    if (way == Faster::either || (way == Faster::more) != up) next.slower.push_back(value);
  }
  return next;
}

}  // namespace isthmus::platform
