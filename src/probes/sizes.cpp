#include "isthmus/probes/sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "isthmus/base/error.hpp"
#include "isthmus/base/one_line.hpp"

namespace isthmus::probes {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 50;
constexpr std::size_t kMost = 1000;
constexpr std::string_view kRange = "..";

[[noreturn]] void refuse(std::string_view text) {
  throw Error(fmt::format("--sizes '{}': expected sizes and ranges such as 64B,4KiB,64KiB..64MiB:x2", one_line(text)));
}

/// The number that all of `text` is.
std::int64_t number(std::string_view text, std::string_view all) {
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || value < 1 || value > kLargest) refuse(all);
  return value;
}

std::int64_t size(std::string_view text, std::string_view all) {
  static constexpr std::array<std::pair<std::string_view, std::int64_t>, 4> kUnits{
      {{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"B", 1}}};
  for (const auto& [unit, scale] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const std::int64_t count = number(text.substr(0, text.size() - unit.size()), all);
    if (count > kLargest / scale) refuse(all);
    return count * scale;
  }
  refuse(all);
}

/// How a range goes on: times `factor`, plus `step`.
struct Step {
  std::int64_t factor = 2;
  std::int64_t step = 0;
};

Step step_of(std::string_view text, std::string_view all) {
  if (text.starts_with('x')) return {.factor = number(text.substr(1), all), .step = 0};
  if (text.starts_with('+')) return {.factor = 1, .step = size(text.substr(1), all)};
  refuse(all);
}

void add(std::vector<Bytes>& sizes, std::int64_t value, std::string_view all) {
  if (std::ranges::find(sizes, Bytes{value}) != sizes.end()) return;
  if (sizes.size() == kMost) throw Error(fmt::format("--sizes '{}': expected up to {} sizes", one_line(all), kMost));
  sizes.push_back({value});
}

void add_range(std::vector<Bytes>& sizes, std::string_view text, std::string_view all) {
  const std::size_t dots = text.find(kRange);
  const std::size_t colon = text.find(':');
  const std::size_t end = std::min(colon, text.size());
  if (end < dots + kRange.size()) refuse(all);
  const std::int64_t first = size(text.substr(0, dots), all);
  const std::int64_t last = size(text.substr(dots + kRange.size(), end - dots - kRange.size()), all);
  const Step step = colon == std::string_view::npos ? Step{} : step_of(text.substr(colon + 1), all);
  if (first > last || (step.factor < 2 && step.step == 0)) refuse(all);
  for (std::int64_t value = first; value <= last; value = value * step.factor + step.step) {
    add(sizes, value, all);
    if (value > kLargest / step.factor) break;
  }
}

}  // namespace

std::vector<Bytes> parse_sizes(const std::string& text) {
  std::vector<Bytes> sizes;
  std::string_view rest = text;
  for (;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    if (item.find(kRange) != std::string_view::npos)
      add_range(sizes, item, text);
    else
      add(sizes, size(item, text), text);
    if (comma == std::string_view::npos) return sizes;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace isthmus::probes
