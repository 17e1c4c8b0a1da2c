// STREAM, RandomAccess and PTRANS beside C with OpenMP.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "isthmus/base/error.hpp"
#include "main.hpp"
#include "memory_peers.hpp"
#include "pairs.hpp"

namespace isthmus::bench {
namespace {

constexpr std::size_t kFloats = std::size_t{1} << 26;  // 256 MiB an array
constexpr std::size_t kTriad = 4;                      // its place among the times of STREAM

Row triad(int pairs) {
  Ours ours("stream", {fmt::format("ARRAY_SIZE={}", kFloats)});
  Triad peer(kFloats);
  const auto ratios = ratios_of(
      pairs, [&] { return 1 / ours.seconds(kTriad); }, [&] { return 1 / peer.seconds(); });
  ours.validate();
  return {"hpcc.stream_triad.vs_c", ratios, 0.95, 1.0, "C/OpenMP, non-temporal stores, 3 x 256 MiB"};
}

Row updates(const char* name, Update update, double must, double aim, int pairs) {
  constexpr int kLogWords = 24;  // 128 MiB
  Ours ours("random_access",
            {fmt::format("TABLE_SIZE_LOG={}", kLogWords), fmt::format("ATOMIC={}", update == Update::atomic ? 1 : 0)});
  Updates peer(kLogWords, update);
  const auto ratios = ratios_of(
      pairs, [&] { return 1 / ours.seconds(); }, [&] { return 1 / peer.seconds(); });
  ours.validate();
  return {name, ratios, must, aim,
          fmt::format("C/OpenMP, {} updates, words fetched in batches, 128 MiB",
                      update == Update::atomic ? "atomic" : "plain")};
}

Row transposition(int pairs) {
  constexpr double kSize = 8192;
  Ours ours("ptrans", {"MATRIX_SIZE=8192"});
  Triad peer(kFloats);
  const auto ratios = ratios_of(
      pairs, [&] { return 3 * sizeof(float) * kSize * kSize / ours.seconds(); },
      [&] { return peer.bytes() / peer.seconds(); });
  ours.validate();
  return {"hpcc.ptrans.vs_triad", ratios, 0.6, 0.75, "traffic over that of C/OpenMP's triad, n = 8192, float"};
}

/// Starts this program anew with threads bound, which both runtimes read before `main`.
void restart_with_bound_threads(char** argv) {
  if (std::getenv("POCL_AFFINITY") != nullptr) return;
  setenv("POCL_AFFINITY", "1", 1);
  setenv("OMP_PROC_BIND", "true", 0);
  execv("/proc/self/exe", argv);
  throw Error("cannot start this program anew");
}

int run(const std::string& json, int pairs) {
  std::vector<Row> rows{triad(pairs)};
  rows.push_back(updates("hpcc.random_access.vs_c", Update::atomic, 0.95, 1.0, pairs));
  rows.push_back(updates("hpcc.random_access_plain.vs_prefetch", Update::plain, 1.05, 1.15, pairs));
  rows.push_back(transposition(pairs));
  for (const Row& row : rows) print(row);
  if (!json.empty()) append_json(json, rows);
  return 0;
}

}  // namespace
}  // namespace isthmus::bench

int main(int argc, char** argv) {
  std::string json;
  int pairs = 9;
  return isthmus::bench::run_main(
      "STREAM, RandomAccess and PTRANS on the first OpenCL device beside C with OpenMP, in interleaved pairs.",
      {isthmus::bench::text("--json", json, "add [{name, value, unit, against}] to this file"),
       isthmus::bench::number("--pairs", pairs, 1, 1000, "pairs of each figure; the median counts")},
      std::span(argv, static_cast<std::size_t>(argc)), [&] {
        isthmus::bench::restart_with_bound_threads(argv);
        return isthmus::bench::run(json, pairs);
      });
}
