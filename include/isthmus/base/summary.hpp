#pragma once

#include <optional>
#include <utility>
#include <vector>

namespace isthmus {

/// Samples in a few numbers. Percentiles are interpolated between neighbours.
struct Summary {
  double median = 0;
  double spread = 0;  ///< (p75 - p25) / median
  double least = 0;
  double p5 = 0;
  double p25 = 0;
  double p75 = 0;
  double p95 = 0;
  double p99 = 0;
  double most = 0;
};

/// The value below which `fraction` (0..1) of the samples lie, interpolated between neighbours. `sorted` holds one at
/// least, in ascending order.
double percentile(const std::vector<double>& sorted, double fraction);

/// There is at least one sample.
Summary summarise(std::vector<double> samples);

/// Two of the samples between which the median of what they were drawn from lies with a probability of at least 95 %,
/// whatever its distribution: the sign test's interval, as narrow as it can be (binomial, p = 1/2). Fewer than six
/// have none, because their ends hold it less often.
std::optional<std::pair<double, double>> median_interval(std::vector<double> samples);

}  // namespace isthmus
