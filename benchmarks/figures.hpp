#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "program.hpp"

namespace isthmus::bench {

enum class Quantity : std::uint8_t { rate, time, ratio, cost, memory };
enum class Bound : std::uint8_t { at_least, at_most };

/// A named figure, how it comes from the rates of runs, and what it has to reach.
struct Figure {
  std::string name;
  Quantity quantity;
  std::string unit;
  Run of;  ///< a ratio is the rate of `of` over that of the fastest of `over`; a cost how much longer it takes than
           ///< those
  std::vector<Run> over;
  Bound bound;
  std::optional<double> must;
  std::optional<double> aim;

  bool reached(double value) const { return !must || (bound == Bound::at_least ? value >= *must : value <= *must); }
};

/// The figures whose names match the glob, without the peers that were not built.
std::vector<Figure> figures(const std::string& glob);
/// The peers that were not built.
std::vector<std::string> missing_programs();

/// The distinct runs that the figures are made of.
std::vector<Run> runs_of(const std::vector<Figure>& figures);

/// One sample a round for each run.
using Samples = std::map<Run, std::vector<Sample>>;

/// Median, least and greatest over the rounds; a ratio is taken round by round, so that what slows a whole round
/// cancels.
struct Value {
  double median;
  double least;
  double greatest;
};
Value value_of(const Figure& figure, const Samples& samples);

/// What the figure is compared with: the peer and its rate, or what it must reach; what threads do also by the round
/// trip of a bare counter between two cores.
std::string against(const Figure& figure, const Samples& samples);

}  // namespace isthmus::bench
