// Measures the figures of README.md: every program in turn, several rounds, medians.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "figures.hpp"
#include "isthmus/base/error.hpp"
#include "main.hpp"

namespace isthmus::bench {
namespace {

struct Options {
  std::string json;
  std::string only = "*";
  bool check = false;
  int rounds = 7;
  double seconds = 0.2;
};

/// How many tokens take about that long; the run that finds it warms the machine up.
std::uint64_t tokens_for(const Run& run, double seconds) {
  constexpr std::uint64_t trial = 100'000;
  const double wanted = sample(run, trial).tokens_per_s * seconds;
  return std::max(trial, static_cast<std::uint64_t>(std::llround(wanted)));
}

using Figures = std::vector<Figure>;

Samples measure(const Figures& figures, const Options& options) {
  std::map<Run, std::uint64_t> tokens;
  for (const Run& run : runs_of(figures)) tokens[run] = tokens_for(run, options.seconds);
  Samples samples;
  for (int round = 0; round < options.rounds; ++round) {
    for (const auto& [run, count] : tokens) samples[run].push_back(sample(run, count));
  }
  return samples;
}

void print(const Figures& figures, const Samples& samples) {
  fmt::print("{:<32} {:>10} {:>10} {:>10} {:>9} {:>8} {:>8}  {}\n", "figure", "median", "least", "greatest", "unit",
             "must", "aim", "against");
  const auto text = [](double value) {
    return value >= 1e5 ? fmt::format("{:.4g} M", value * 1e-6) : fmt::format("{:.3g}", value);
  };
  const auto bound = [&](const std::optional<double>& value) { return value ? text(*value) : std::string("-"); };
  for (const Figure& figure : figures) {
    const Value value = value_of(figure, samples);
    fmt::print("{:<32} {:>10} {:>10} {:>10} {:>9} {:>8} {:>8}  {}\n", figure.name, text(value.median),
               text(value.least), text(value.greatest), figure.unit, bound(figure.must), bound(figure.aim),
               figure.over.empty() ? "" : against(figure, samples));
  }
}

/// A file beside `path` that takes its place only when it is whole.
void write_json(const std::filesystem::path& path, const Figures& figures, const Samples& samples) {
  auto rows = nlohmann::ordered_json::array();
  for (const Figure& figure : figures) {
    rows.push_back({{"name", figure.name},
                    {"value", value_of(figure, samples).median},
                    {"unit", figure.unit},
                    {"against", against(figure, samples)}});
  }
  const std::filesystem::path part = path.string() + ".part";
  std::ofstream out(part);
  out << rows.dump(2) << '\n';
  out.close();
  std::error_code error;
  if (out) std::filesystem::rename(part, path, error);
  if (!out || error) {
    std::filesystem::remove(part, error);
    throw Error(fmt::format("{}: cannot be written", path.string()));
  }
}

/// Ratios and memory hold on any machine, so only they decide, each by the median of its rounds: single rounds spread.
bool all_reached(const Figures& figures, const Samples& samples) {
  bool reached = true;
  for (const Figure& figure : figures) {
    const double value = value_of(figure, samples).median;
    if (figure.quantity == Quantity::rate || figure.quantity == Quantity::time || figure.reached(value)) continue;
    fmt::print(stderr, "missed: {}: expected {} {:g}, got {:.3g}\n", figure.name,
               figure.bound == Bound::at_least ? "at least" : "at most", *figure.must, value);
    reached = false;
  }
  return reached;
}

int run(const Options& options) {
  const Figures chosen = figures(options.only);
  if (chosen.empty()) throw Error(fmt::format("--only: no figure is called '{}'", options.only));
  for (const auto& program : missing_programs())
    fmt::print(stderr, "note: {} was not built: its software was not found (scripts/packages-bench.txt)\n", program);
  const Samples samples = measure(chosen, options);
  print(chosen, samples);
  if (!options.json.empty()) write_json(options.json, chosen, samples);
  return options.check && !all_reached(chosen, samples) ? 1 : 0;
}

}  // namespace
}  // namespace isthmus::bench

int main(int argc, char** argv) {
  isthmus::bench::Options options;
  return isthmus::bench::run_main(
      "The engine's speed beside its peers', on one thread; figures in tokens per second of processor time.",
      {isthmus::bench::text("--json", options.json, "write [{name, value, unit, against}] to this file"),
       isthmus::bench::switched("--check", options.check, "exit 1 and name the ratios that miss what they must reach"),
       isthmus::bench::text("--only", options.only, "figures whose names match this glob; by default all"),
       isthmus::bench::number("--rounds", options.rounds, 1, 1000,
                              "times every program runs, in turn; the median counts"),
       isthmus::bench::number("--seconds", options.seconds, 0.001, 60.0, "processor time of one run")},
      std::span(argv, static_cast<std::size_t>(argc)), [&] { return isthmus::bench::run(options); });
}
