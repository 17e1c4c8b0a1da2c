#include "figures.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <functional>
#include <set>

namespace isthmus::bench {
namespace {

Run engine(const char* workload) {
  return {"bench_engine", workload};
}

Figure rate(const char* name, const char* unit, const char* workload, double must, double aim) {
  return {name, Quantity::rate, unit, engine(workload), {}, Bound::at_least, must, aim};
}

Figure accesses(const char* name, const char* unit, const char* workload, double must, double aim) {
  return {name, Quantity::rate, unit, {"bench_coherence", workload}, {}, Bound::at_least, must, aim};
}

Figure at_least(const char* name, const Run& of, std::vector<Run> over, std::optional<double> must,
                std::optional<double> aim) {
  return {name, Quantity::ratio, "ratio", of, std::move(over), Bound::at_least, must, aim};
}

Run native(const char* workload) {
  return {"bench_native", workload};
}

Run threads(const char* workload) {
  return {"bench_threads", workload};
}

Run core_to_core() {
  return threads("round-trip");
}

/// Three actors on two cores, each peer in all its ways.
std::vector<Run> peers(const std::string& workload) {
  return {threads(workload.c_str()),
          threads((workload + "-batch").c_str()),
          {"bench_tbb", workload},
          {"bench_tbb", workload + "-queues"},
          {"bench_go", workload}};
}

/// Tokens a second of the fastest of `runs` in a round.
double fastest(const std::vector<Run>& runs, const Samples& samples, std::size_t round) {
  double rate = 0;
  for (const Run& run : runs) rate = std::max(rate, samples.at(run)[round].tokens_per_s);
  return rate;
}

double value_in(const Figure& figure, const Samples& samples, std::size_t round) {
  const Sample& of = samples.at(figure.of)[round];
  switch (figure.quantity) {
    case Quantity::rate:
      return of.tokens_per_s;
    case Quantity::time:
      return 1e6 / of.tokens_per_s;
    case Quantity::ratio:
      return of.tokens_per_s / fastest(figure.over, samples, round);
    case Quantity::cost:
      return fastest(figure.over, samples, round) / of.tokens_per_s - 1;
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

const std::vector<Figure>& all_figures() {
  const Run pipeline8 = engine("pipeline8");
  const Run systemc{"bench_systemc", "pipeline8"};
  const Run verilator{"bench_verilator", "pipeline8"};
  const Run sparse10000 = engine("sparse10000");
  static const std::vector<Figure> all{
      rate("engine.pipeline8.tokens_per_s", "tokens/s", "pipeline8", 150e6, 240e6),
      at_least("engine.pipeline8.vs_systemc", pipeline8, {systemc}, 30, 50),
      at_least("engine.pipeline8.vs_verilator", pipeline8, {verilator}, 2.5, 4.5),
      rate("engine.pipeline64.tokens_per_s", "tokens/s", "pipeline64", 130e6, 200e6),
      rate("engine.deep.tokens_per_s", "tokens/s", "deep", 4e6, 8e6),
      rate("engine.ring4.hops_per_s", "hops/s", "ring4", 100e6, 250e6),
      rate("engine.crossing.tokens_per_s", "tokens/s", "crossing", 12e6, 40e6),
      at_least("engine.sparse.vs_dense", engine("sparse"), {pipeline8}, 0.7, 0.9),
      {"engine.sparse10000.vs_sparse10",
       Quantity::ratio,
       "ratio",
       engine("sparse10"),
       {sparse10000},
       Bound::at_most,
       2,
       1.2},
      {"engine.boards64.vs_boards4",
       Quantity::ratio,
       "ratio",
       engine("boards4"),
       {engine("boards64")},
       Bound::at_most,
       2,
       1.3},
      {"engine.boards64.update_us", Quantity::time, "us", engine("boards64"), {}, Bound::at_most, 2, 0.8},
      {"engine.ports64.vs_ports2",
       Quantity::ratio,
       "ratio",
       engine("ports2"),
       {engine("ports64")},
       Bound::at_most,
       2,
       1.2},
      {"engine.idle.vs_busy",
       Quantity::ratio,
       "ratio",
       engine("busy4"),
       {engine("busy4-idle60")},
       Bound::at_most,
       1.1,
       1},
      at_least("engine.pull.vs_read", engine("pipeline8-pull"), {pipeline8}, {}, {}),
      at_least("engine.sparse_pull.vs_dense", engine("sparse-pull"), {pipeline8}, {}, {}),
      {"engine.trace_off.cost",
       Quantity::cost,
       "share",
       pipeline8,
       {{"bench_unobserved", "pipeline8"}},
       Bound::at_most,
       0.01,
       {}},
      {"engine.actor.resident", Quantity::memory, "KiB", sparse10000, {}, Bound::at_most, 128, {}},
      accesses("coherence.hits_per_s", "hits/s", "hits", 10e6, 20e6),
      accesses("coherence.hits_two_clocks_per_s", "hits/s", "hits-two-clocks", 4e6, 10e6),
      accesses("coherence.misses_per_s", "misses/s", "misses", 2e6, 4e6),
      at_least("native.pair_d16.vs_spsc_queue", native("pair8-d16"), {threads("spsc8-d16"), threads("spsc8-d16-batch")},
               1.4, 1.6),
      at_least("native.pair_d256.vs_spsc_queue", native("pair8-d256"),
               {threads("spsc8-d256"), threads("spsc8-d256-batch")}, 2, 2.4),
      at_least("native.pair64_d256.vs_spsc_queue", native("pair64-d256"),
               {threads("spsc64-d256"), threads("spsc64-d256-batch")}, 1.5, 2.3),
      at_least("native.pipeline3_d16.vs_best_peer", native("pipeline3-d16"), peers("pipeline3-d16"), 5, 9),
      at_least("native.pipeline3_d256.vs_best_peer", native("pipeline3-d256"), peers("pipeline3-d256"), 4, 10),
      at_least("native.pair_d16_apart.vs_spsc_queue", native("pair8-d16-apart"),
               {threads("spsc8-d16"), threads("spsc8-d16-batch")}, {}, {}),
      at_least("native.pair_d256_apart.vs_spsc_queue", native("pair8-d256-apart"),
               {threads("spsc8-d256"), threads("spsc8-d256-batch")}, {}, {}),
      at_least("native.pair64_d256_apart.vs_spsc_queue", native("pair64-d256-apart"),
               {threads("spsc64-d256"), threads("spsc64-d256-batch")}, {}, {}),
      at_least("native.pipeline3_d16_apart.vs_best_peer", native("pipeline3-d16-apart"), peers("pipeline3-d16"), {},
               {}),
      at_least("native.pipeline3_d256_apart.vs_best_peer", native("pipeline3-d256-apart"), peers("pipeline3-d256"), {},
               {}),
      at_least("native.pipeline3_4k.vs_bare_ring", native("pipeline3-4k"), {threads("pipeline3-4k")}, 0.9, {}),
      at_least("native.oversubscribed.vs_pair", native("eight"), {native("pair8-d256")}, 0.5, 1),
      at_least("hostlink.vs_bare_handover", native("hand-over"), {threads("hand-over")}, 0.9, {}),
      at_least("hostlink.vs_memcpy", native("hand-over"), {threads("hand-over-memcpy")}, {}, {}),
      {"hostlink.round_trip.vs_core_to_core",
       Quantity::ratio,
       "ratio",
       threads("round-trip"),
       {native("round-trip")},
       Bound::at_most,
       3,
       {}},
  };
  return all;
}

}  // namespace

std::vector<Figure> figures(const std::string& glob) {
  std::vector<Figure> chosen;
  for (Figure figure : all_figures()) {
    if (fnmatch(glob.c_str(), figure.name.c_str(), 0) != 0) continue;
    const bool compared = !figure.over.empty();
    std::erase_if(figure.over, std::not_fn(built));
    if (!compared || !figure.over.empty()) chosen.push_back(std::move(figure));
  }
  return chosen;
}

std::vector<std::string> missing_programs() {
  std::set<std::string> missing;
  for (const Run& run : runs_of(all_figures()))
    if (!built(run)) missing.insert(run.program);
  return {missing.begin(), missing.end()};
}

std::vector<Run> runs_of(const std::vector<Figure>& figures) {
  std::set<Run> runs;
  for (const Figure& figure : figures) {
    runs.insert(figure.of);
    runs.insert(figure.over.begin(), figure.over.end());
    if (figure.of.program == native("").program) runs.insert(core_to_core());
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
  if (figure.over.empty()) {
    const bool rate = figure.quantity == Quantity::rate;
    return fmt::format("{} {:g} {}{}", figure.bound == Bound::at_least ? "at least" : "at most",
                       rate ? *figure.must * 1e-6 : *figure.must, rate ? "M " : "", figure.unit);
  }
  const auto rate_of = [&](const Run& run) {
    std::vector<double> rates;
    for (const Sample& sample : samples.at(run)) rates.push_back(sample.tokens_per_s);
    return median(std::move(rates));
  };
  const Run& best = *std::ranges::max_element(figure.over, {}, rate_of);
  const auto text =
      fmt::format("{} {}, {:.4g} M/s", samples.at(best).front().made_by, best.workload, rate_of(best) * 1e-6);
  if (figure.of.program != native("").program) return text;
  return fmt::format("{}; {:.3g} in a core-to-core round trip", text, rate_of(figure.of) / rate_of(core_to_core()));
}

}  // namespace isthmus::bench
