#pragma once

#include <vector>

namespace isthmus::probes {

/// Samples in a few numbers. Percentiles are interpolated between neighbours.
struct Summary {
  double median = 0;
  double spread = 0;  ///< how far the middle half reaches: (p75 - p25) / median
  double least = 0;
  double p5 = 0;
  double p25 = 0;
  double p75 = 0;
  double p95 = 0;
  double most = 0;
};

/// There is at least one sample.
Summary summarise(std::vector<double> samples);

}  // namespace isthmus::probes
