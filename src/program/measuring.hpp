#pragma once

#include <utility>
#include <vector>

#include "isthmus/application/difference.hpp"
#include "isthmus/base/load.hpp"
#include "isthmus/base/units.hpp"
#include "program/tool.hpp"

/// Measurements of real devices and threads, each of several runs, and outputs that differ: common to all rows.
namespace isthmus::program {

/// The number of times that a measured run is made.
struct Repetition {
  int samples = 0;  ///< runs that count; 0: three if a run takes under a second, else one
  int warmup = -1;  ///< runs before those; -1: one if a run takes under a second, else none

  Repetition() = default;
  /// --repeat and --warmup.
  explicit Repetition(Request& request)
      : samples(request.count("repeat").value_or(0)), warmup(request.count("warmup", 0).value_or(-1)) {}
};

/// The runs of a measurement, and the load of the cores by other programs meanwhile.
class Measuring {
 public:
  explicit Measuring(const Repetition& repetition) : repetition_(repetition) {}

  /// Tells whether another run is wanted.
  bool wants_more() const;
  void took(Time elapsed) { taken_.push_back(elapsed); }
  /// The number of the run that has the median time of those that count; of two in the middle the slower.
  std::size_t typical() const;
  /// Adds the median rate of `count` pieces of work of `bytes_each` to a row, with its samples and spread; after a
  /// wrong run only the load of the cores.
  void add_to(Record& row, const char* rate, int count, double bytes_each) const;

 private:
  std::size_t warmup() const;
  std::size_t runs() const;

  Repetition repetition_;
  LoadMeter meter_;
  std::vector<Time> taken_;
};

/// Makes a run as often as is wanted, or until an output differs: the run with the median time, or the wrong one.
template <class Once, class ElapsedOf>
auto typical_run(Measuring& measuring, const Once& once, const ElapsedOf& elapsed_of) {
  std::vector<decltype(once())> runs;
  do {
    runs.push_back(once());
    if (!runs.back().right()) return std::move(runs.back());
    measuring.took(elapsed_of(runs.back()));
  } while (measuring.wants_more());
  return std::move(runs[measuring.typical()]);
}

/// The difference as a row holds it: numbers stay numbers.
Record to_json(const Difference& difference);

}  // namespace isthmus::program
