#include "figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace isthmus::bench {
namespace {

Run engine(const char* workload) {
  return {"bench_engine", workload};
}

Figure rate(const char* name, const char* unit, const char* workload, double must, double aim) {
  return {name, Quantity::rate, unit, engine(workload), {}, Bound::at_least, must, aim};
}

Figure at_least(const char* name, const Run& of, const Run& over, std::optional<double> must,
                std::optional<double> aim) {
  return {name, Quantity::ratio, "ratio", of, over, Bound::at_least, must, aim};
}

double value_in(const Figure& figure, const Samples& samples, std::size_t round) {
  const Sample& of = samples.at(figure.of)[round];
  switch (figure.quantity) {
    case Quantity::rate:
      return of.tokens_per_s;
    case Quantity::ratio:
      return of.tokens_per_s / samples.at(figure.over)[round].tokens_per_s;
    case Quantity::memory:
      break;
  }
  return of.actor_kib;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

const std::vector<Figure>& figures() {
  const Run pipeline8 = engine("pipeline8");
  const Run systemc{"bench_systemc", "pipeline8"};
  const Run verilator{"bench_verilator", "pipeline8"};
  const Run sparse10000 = engine("sparse10000");
  static const std::vector<Figure> all{
      rate("engine.pipeline8.tokens_per_s", "tokens/s", "pipeline8", 150e6, 240e6),
      at_least("engine.pipeline8.vs_systemc", pipeline8, systemc, 30, 50),
      at_least("engine.pipeline8.vs_verilator", pipeline8, verilator, 2.5, 4.5),
      rate("engine.pipeline64.tokens_per_s", "tokens/s", "pipeline64", 130e6, 200e6),
      rate("engine.deep.tokens_per_s", "tokens/s", "deep", 4e6, 8e6),
      rate("engine.ring4.hops_per_s", "hops/s", "ring4", 100e6, 250e6),
      at_least("engine.sparse.vs_dense", engine("sparse"), pipeline8, 0.9, 1),
      {"engine.sparse10000.vs_sparse10", Quantity::ratio, "ratio", engine("sparse10"), sparse10000, Bound::at_most, 2,
       1.2},
      at_least("engine.pull.vs_read", engine("pipeline8-pull"), pipeline8, {}, {}),
      at_least("engine.sparse_pull.vs_dense", engine("sparse-pull"), pipeline8, {}, {}),
      {"engine.actor.resident", Quantity::memory, "KiB", sparse10000, {}, Bound::at_most, 128, {}},
  };
  return all;
}

std::vector<Run> runs_of(const std::vector<Figure>& figures) {
  std::set<Run> runs;
  for (const Figure& figure : figures) {
    runs.insert(figure.of);
    if (figure.quantity == Quantity::ratio) runs.insert(figure.over);
  }
  return {runs.begin(), runs.end()};
}

Value value_of(const Figure& figure, const Samples& samples) {
  std::vector<double> values;
  for (std::size_t round = 0; round < samples.at(figure.of).size(); ++round) {
    values.push_back(value_in(figure, samples, round));
  }
  const auto [least, greatest] = std::ranges::minmax(values);
  return {median(values), least, greatest};
}

std::string against(const Figure& figure, const Samples& samples) {
  if (figure.quantity != Quantity::ratio) {
    const bool rate = figure.quantity == Quantity::rate;
    return fmt::format("{} {:g} {}{}", figure.bound == Bound::at_least ? "at least" : "at most",
                       rate ? *figure.must * 1e-6 : *figure.must, rate ? "M " : "", figure.unit);
  }
  std::vector<double> rates;
  for (const Sample& sample : samples.at(figure.over)) rates.push_back(sample.tokens_per_s);
  return fmt::format("{} {}, {:.4g} M tokens/s", samples.at(figure.over).front().made_by, figure.over.workload,
                     median(rates) * 1e-6);
}

}  // namespace isthmus::bench
