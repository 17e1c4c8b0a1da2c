// Look-ups on threads of this machine beside a loop with prefetches and the fastest maps.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "flows/threads/native_memory.hpp"
#include "hash_peers.hpp"
#include "isthmus/apps/applications.hpp"
#include "isthmus/base/error.hpp"
#include "main.hpp"
#include "pairs.hpp"
#include "program/target.hpp"

namespace isthmus::bench {
namespace {

struct Work {
  std::int64_t table = 2048;  ///< MiB
  /// Of 4096 look-ups. Reads of memory that the system has just found are slow for the first 0.1 s: a run is longer.
  int messages = 16384;
  int pairs = 5;
  std::vector<int> lambdas{1, 2, 3};
};

program::Values values_of(const program::Maker& maker, std::int64_t lambda, std::int64_t table) {
  program::Values values(maker.parameters);
  values.set("lambda", lambda);
  values.set("table", table);
  return values;
}

const program::Maker& hash_lookup() {
  for (const program::Maker& maker : apps::applications())
    if (program::Values(maker.parameters).has("lambda")) return maker;
  throw Error("no application has a parameter lambda");
}

/// The application, its table in memory of this machine, and the keys of a run.
class Bench {
 public:
  Bench(std::int64_t lambda, const Work& work)
      : work_(work), application_(hash_lookup().make(values_of(hash_lookup(), lambda, work.table))) {
    application_.extras.open({.count = work.messages, .seed = 1, .note = [](const std::string&) {}});
    memory_.emplace(*application_.extras.memory);
    keys_.resize(static_cast<std::size_t>(work.messages) * application_.input / sizeof(std::uint64_t));
    const auto bytes = std::as_writable_bytes(std::span(keys_));
    for (int i = 0; i < work.messages; ++i)
      application_.fill(i, bytes.subspan(static_cast<std::size_t>(i) * application_.input, application_.input));
    values_.resize(keys_.size());
    // Every chain of the table is as long as any other.
    buckets_ = table().size() / static_cast<std::uint64_t>(2 * lambda - 1);
  }

  std::span<const Entry> table() {
    return {reinterpret_cast<const Entry*>(memory_->bytes().data()), memory_->bytes().size() / sizeof(Entry)};
  }

  /// Look-ups a second.
  double ours() {
    const auto target = program::open_target("native", {});
    const program::Run run = target->run({.application = application_, .flow = "stream", .count = work_.messages});
    if (run.difference) throw Error("look-ups on threads: a value is wrong");
    return static_cast<double>(keys_.size()) / run.times.elapsed.seconds();
  }
  double loop() {
    return rate([&] { look_up_prefetched(table(), buckets_, keys_, values_); });
  }
  double map(const Map& map) {
    return rate([&] { map.look_up(keys_, values_); });
  }

 private:
  double rate(const std::function<void()>& body) {
    std::ranges::fill(values_, 0);
    const double seconds = seconds_of(body);
    if (std::ranges::count(values_, 0U) != 0) throw Error("look-ups of a peer: expected a value for each key, got 0");
    return static_cast<double>(keys_.size()) / seconds;
  }

  Work work_;
  program::ByteApplication application_;
  std::optional<program::NativeMemory> memory_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint64_t> values_;
  std::uint64_t buckets_ = 1;
};

std::vector<Row> beside_loop(const Work& work) {
  Row least{.name = "hash.native.vs_prefetch_loop", .ratios = {}, .must = 0.35, .aim = 0.6, .against = ""};
  for (const int lambda : work.lambdas) {
    Bench bench(lambda, work);
    std::vector<double> ours;
    std::vector<double> loop;
    const auto noted = [](std::vector<double>& to, double rate) {
      to.push_back(rate);
      return rate;
    };
    const auto ratios = ratios_of(
        work.pairs, [&] { return noted(ours, bench.ours()); }, [&] { return noted(loop, bench.loop()); });
    fmt::print("lambda {}: {:.0f} M/s, the loop {:.0f} M/s\n", lambda, median_of(ours) * 1e-6, median_of(loop) * 1e-6);
    if (!least.ratios.empty() && median_of(ratios) >= least.median()) continue;
    least.ratios = ratios;
    least.against = fmt::format("a loop with 64 prefetches, lambda {} (the least of {}), {} MiB: {:.4g} M/s", lambda,
                                fmt::join(work.lambdas, ", "), work.table, median_of(loop) * 1e-6);
  }
  return {least};
}

std::vector<Row> beside_maps(const Work& work) {
  Bench bench(1, work);
  std::vector<std::pair<std::string, std::unique_ptr<Map>>> maps;
  maps.emplace_back("boost::unordered_flat_map", boost_map(bench.table()));
  if (auto abseil = abseil_map(bench.table()))
    maps.emplace_back("absl::flat_hash_map", std::move(abseil));
  else
    fmt::print(stderr, "note: Abseil was not found (scripts/packages-bench.txt): boost::unordered_flat_map alone\n");
  std::string best;
  const auto fastest = [&] {
    double most = 0;
    for (const auto& [name, map] : maps)
      if (const double rate = bench.map(*map); rate > most) {
        most = rate;
        best = fmt::format("{}, {:.4g} M/s", name, rate * 1e-6);
      }
    return most;
  };
  const auto ratios = ratios_of(
      work.pairs, [&] { return bench.ours(); }, fastest);
  return {{.name = "hash.native.vs_best_map", .ratios = ratios, .must = 3, .aim = 3, .against = best}};
}

}  // namespace
}  // namespace isthmus::bench

int main(int argc, char** argv) {
  using namespace isthmus::bench;
  Work work;
  std::string json;
  std::string only;
  const std::vector<Flag> flags{text("--json", json, "add {name, value, unit, against} to the list in this file"),
                                text("--only", only, "figures whose names hold this: loop, map"),
                                number("--table", work.table, 1, 16384, "MiB"),
                                number("--messages", work.messages, 1, 100000, "of 4096 look-ups"),
                                number("--pairs", work.pairs, 1, 1000, "runs of each side")};
  const std::span words(argv, static_cast<std::size_t>(argc));
  return run_main(
      "Look-ups on threads of this machine beside a loop with prefetches and the fastest maps.", flags, words, [&] {
        const auto rows =
            measured({{"loop", [&] { return beside_loop(work); }}, {"map", [&] { return beside_maps(work); }}}, only);
        if (!json.empty()) append_json(json, rows);
        return 0;
      });
}
