#include <algorithm>
#include <cmath>

#include "isthmus/probes/copy.hpp"

namespace isthmus::probes {
namespace {

double percentile(const std::vector<double>& sorted, double fraction) {
  const double place = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

}  // namespace

Summary summarise(std::vector<double> samples) {
  std::ranges::sort(samples);
  const double median = percentile(samples, 0.5);
  return {.median = median, .spread = (percentile(samples, 0.75) - percentile(samples, 0.25)) / median};
}

}  // namespace isthmus::probes
