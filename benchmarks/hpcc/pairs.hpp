#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "isthmus/hpcc/benchmark.hpp"

/// Our benchmarks beside peers that do the same work, in pairs that run one after the other, so that what slows the
/// machine down slows both.
namespace isthmus::bench {

/// One benchmark of ours on an OpenCL device, by default the first, set up, in its optimized run.
class Ours {
 public:
  /// `overrides` are NAME=VALUE.
  Ours(const std::string& benchmark, const std::vector<std::string>& overrides, const std::string& on = "opencl:0");

  /// Seconds of one repetition, of the metric with this index.
  double seconds(std::size_t metric = 0);
  /// Throws Error if the results are wrong.
  void validate();

 private:
  std::unique_ptr<hpcc::Job> job_;
  std::unique_ptr<hpcc::Benchmark> benchmark_;
};

/// Seconds that `body` takes.
double seconds_of(const std::function<void()>& body);

/// A figure: how many times as fast as the peer we are, pair by pair.
struct Row {
  std::string name;
  std::vector<double> ratios;
  double must;
  double aim;
  std::string against;
  std::map<std::string, double> fields = {};  ///< further ones of its record
  std::string unit = "ratio";                 ///< of what are no ratios

  double median() const;
};

/// Runs `pairs` pairs, and one before that does not count; each function gives the rate of one run.
std::vector<double> ratios_of(int pairs, const std::function<double()>& ours, const std::function<double()>& peer);

double median_of(std::vector<double> values);

void print(const Row& row);

/// What one program can measure: a name to ask for it by, and its figures.
struct Measure {
  std::string name;
  std::function<std::vector<Row>()> rows;
};

/// The figures of those whose name has `only` in it, each printed as soon as it is there.
std::vector<Row> measured(const std::vector<Measure>& measures, const std::string& only);

/// Puts {name, value, unit, against} and the fields of each row into the list in the file, in place of rows of these
/// names; the file changes only as a whole.
void append_json(const std::filesystem::path& path, const std::vector<Row>& rows);

}  // namespace isthmus::bench
