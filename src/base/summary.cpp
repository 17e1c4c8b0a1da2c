#include "isthmus/base/summary.hpp"

#include <algorithm>
#include <cmath>

namespace isthmus {

double percentile(const std::vector<double>& sorted, double fraction) {
  const double place = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

Summary summarise(std::vector<double> samples) {
  std::ranges::sort(samples);
  const auto at = [&samples](double fraction) { return percentile(samples, fraction); };
  return {.median = at(0.5),
          .spread = (at(0.75) - at(0.25)) / at(0.5),
          .least = samples.front(),
          .p5 = at(0.05),
          .p25 = at(0.25),
          .p75 = at(0.75),
          .p95 = at(0.95),
          .p99 = at(0.99),
          .most = samples.back()};
}

std::optional<std::pair<double, double>> median_interval(std::vector<double> samples) {
  constexpr double kOutside = 0.025;  // on either side
  std::ranges::sort(samples);
  const auto count = static_cast<double>(samples.size());
  double probability = std::exp2(-count);  // that no sample lies below the median
  double below = 0;                        // that at most `cut` do
  std::size_t cut = 0;
  for (; cut < samples.size() / 2 && below + probability <= kOutside; ++cut) {
    below += probability;
    probability *= (count - static_cast<double>(cut)) / static_cast<double>(cut + 1);
  }
  if (cut == 0) return {};
  return {{samples[cut - 1], samples[samples.size() - cut]}};
}

}  // namespace isthmus
