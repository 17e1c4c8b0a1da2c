// Hashes of nodes of a Merkle tree that are drawn one after the other, as in a proof of work (gemieux2018, V.B and
// V.C).
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>

#include "apps/merkle_tree/tree.hpp"
#include "apps/parts.hpp"
#include "isthmus/application/application.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/base/random.hpp"
#include "isthmus/platform/shared_board.hpp"
#include "isthmus/shared/queues/look_ahead.hpp"

namespace isthmus::apps {
namespace {

using Draw = std::uint32_t;
using program::Together;

constexpr std::int64_t kMiB = std::int64_t{1} << 20U;

/// Blocks that are run finely where a coarse run will do: one is like another but for its first touches.
constexpr int kFineBlocks = 2;

/// The input of a run, and the result of its blocks.
struct MerkleRun {
  Bytes size;
  Bytes window;
  Bytes reach;
  Time hash;
  queues::HandOver hand_over = queues::HandOver::none;
  std::uint64_t seed = 0;
  std::unique_ptr<MerkleTree> tree{};

  Time elapsed{};
  std::vector<double> speedups{};
  std::vector<double> first_touches{};  ///< first touches of each block, as shares of its draws
  Time first_reads{};                   ///< time of all reads of untouched lines by the core alone
  Time other_reads{};
  Time cache_reads{};  ///< time of the second reads that were as fast as the last-level cache allows
  std::int64_t firsts = 0;
  std::int64_t others = 0;
  std::int64_t caches = 0;
  std::int64_t from_cache = 0;  ///< draws whose line came that fast with the circuit

  std::int64_t hashes = 0;

  /// Draws of the blocks that were run finely.
  std::int64_t draws() const { return firsts + others; }
};

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double mean(Time all, std::int64_t count) {
  return count == 0 ? 0 : all.seconds() / static_cast<double>(count);
}

void open(MerkleRun& run, std::uint64_t seed) {
  run = {.size = run.size, .window = run.window, .reach = run.reach, .hash = run.hash, .hand_over = run.hand_over};
  run.seed = seed;
  run.tree = std::make_unique<MerkleTree>(run.size, seed);
}

void fill(const MerkleRun& run, int block, std::span<Draw> draws) {
  const auto lines = static_cast<std::uint64_t>(run.window.count) / MerkleTree::kLine;
  const auto of = static_cast<std::uint64_t>(block);
  for (std::size_t i = 0; i < draws.size(); ++i) draws[i] = static_cast<Draw>(random_word(run.seed, of, i) % lines);
}

/// What a line that the last-level cache has takes to come to a core, and half a cycle for rounding.
Time cache_time(const fabric::CoherenceSpec& coherence) {
  const fabric::CoherenceAgent& host = coherence.agents[platform::SharedBoard::kHost];
  return Time::seconds((host.to_home + host.from_home + 0.5) / coherence.clock.frequency.hertz());
}

/// A block: its draws, and which of them touch a line for the first time.
struct BlockDraws {
  std::vector<Draw> draws;
  std::vector<bool> first;
  std::int64_t firsts = 0;

  std::int64_t others() const { return static_cast<std::int64_t>(draws.size()) - firsts; }
};

/// What blocks that were run finely tell of any: the core alone takes so long for each draw, beside what lines take;
/// with the circuit it saves so much for each first touch.
struct BlockTimes {
  Time alone{};  ///< time of the core alone, over all blocks
  Time with{};
  std::int64_t draws = 0;
  std::int64_t firsts = 0;
};

/// The blocks of a run on one board.
class Blocks {
 public:
  Blocks(const platform::Description& board, MerkleRun& run, program::Exchange& messages)
      : run_(run), messages_(messages), board_(board, run.tree->bytes()) {
    const fabric::CoherenceSpec coherence = platform::shared_spec(board).coherence;
    line_ = static_cast<std::size_t>(coherence.line);
    cache_ = cache_time(coherence);
  }

  void work_on(int number) {
    take(number);
    const queues::LookAheadRun alone = run(queues::HandOver::none, number);
    note_reads(alone);
    const bool ahead = run_.hand_over != queues::HandOver::none;
    const queues::LookAheadRun with = ahead ? run(run_.hand_over, number) : alone;
    messages_.finished(number);
    run_.from_cache += std::ranges::count_if(with.reads, [&](Time read) { return read <= cache_; });
    add_parts(together_.parts, with.parts);
    waited_ += std::accumulate(with.reads.begin(), with.reads.end(), Time{});
    pace_.alone += alone.elapsed;
    pace_.with += with.elapsed;
    pace_.draws += static_cast<std::int64_t>(block_.draws.size());
    pace_.firsts += block_.firsts;
    note(alone.elapsed, with.elapsed);
  }

  /// The digests as the core computes them, the times from those of the blocks before.
  void tell(int number) {
    take(number);
    const std::span<std::byte> output = messages_.output(number);
    for (std::size_t i = 0; i < block_.draws.size(); ++i)
      put(output, i, run_.tree->bytes().subspan(block_.draws[i] * MerkleTree::kLine, MerkleTree::kLine));
    messages_.finished(number);
    const double other = run_.others == 0 ? cache_.seconds() : mean(run_.other_reads, run_.others);
    const double beyond = mean(run_.first_reads, run_.firsts) - other;
    const double draw =
        (pace_.alone.seconds() - beyond * static_cast<double>(pace_.firsts)) / static_cast<double>(pace_.draws);
    const double alone = draw * static_cast<double>(block_.draws.size()) + beyond * static_cast<double>(block_.firsts);
    const double saved = (pace_.alone - pace_.with).seconds() / static_cast<double>(pace_.firsts);
    note(Time::seconds(alone), Time::seconds(alone - saved * static_cast<double>(block_.firsts)));
    together_.grain = platform::Grain::coarse;
  }

  /// The finely run blocks, stretched to all blocks.
  Together together() {
    run_.elapsed = together_.elapsed;
    const double all = together_.elapsed.seconds() / pace_.with.seconds();
    const auto stretched = [all](Time& time) { time = Time::seconds(all * time.seconds()); };
    for (platform::Part& part : together_.parts)
      for (Time* time : {&part.busy, &part.starved, &part.blocked, &part.lifetime}) stretched(*time);
    stretched(waited_);
    together_.stages = {{"lines come", waited_}, {"hash", together_.elapsed - waited_}};
    together_.lasted = together_.parts.front().lifetime;
    return std::move(together_);
  }

 private:
  void take(int number) {
    const std::span<const std::byte> input = messages_.input(number);
    block_.draws.resize(input.size() / sizeof(Draw));
    std::memcpy(block_.draws.data(), input.data(), input.size());
    block_.first.assign(block_.draws.size(), false);
    block_.firsts = 0;
    std::vector<bool> had(run_.tree->lines() * MerkleTree::kLine / line_ + 1);
    for (std::size_t i = 0; i < block_.draws.size(); ++i) {
      const std::size_t line = block_.draws[i] * MerkleTree::kLine / line_;
      block_.first[i] = !had[line];
      if (!had[line]) ++block_.firsts;
      had[line] = true;
    }
  }

  queues::LookAheadRun run(queues::HandOver hand_over, int number) {
    const std::span<std::byte> output = messages_.output(number);
    std::vector<Draw> lines(block_.draws.size());
    std::ranges::transform(block_.draws, lines.begin(),
                           [&](Draw draw) { return static_cast<Draw>(draw * MerkleTree::kLine / line_); });
    return board_.run({.hand_over = hand_over,
                       .work = run_.hash,
                       .reach = static_cast<std::uint64_t>(run_.reach.count),
                       .lines = lines,
                       .visit = [&](std::size_t place, std::span<const std::byte> line) {
                         const std::size_t offset = block_.draws[place] * MerkleTree::kLine % line_;
                         put(output, place, line.subspan(offset, MerkleTree::kLine));
                       }});
  }

  void put(std::span<std::byte> output, std::size_t place, std::span<const std::byte> node) {
    const Digest digest = hash_(node);
    std::memcpy(&output[place * sizeof(digest)], digest.data(), sizeof(digest));
  }

  /// What the core alone waits for lines that it has had, and for others. It may have had one that the cache has not.
  void note_reads(const queues::LookAheadRun& alone) {
    for (std::size_t i = 0; i < block_.draws.size(); ++i) {
      (block_.first[i] ? run_.first_reads : run_.other_reads) += alone.reads[i];
      if (block_.first[i] || alone.reads[i] > cache_) continue;
      run_.cache_reads += alone.reads[i];
      ++run_.caches;
    }
    run_.firsts += block_.firsts;
    run_.others += block_.others();
  }

  void note(Time alone, Time with) {
    run_.speedups.push_back(alone.seconds() / with.seconds());
    run_.first_touches.push_back(static_cast<double>(block_.firsts) / static_cast<double>(block_.draws.size()));
    run_.hashes += static_cast<std::int64_t>(block_.draws.size());
    together_.elapsed += with;
    together_.latencies.push_back(with);
  }

  MerkleRun& run_;
  program::Exchange& messages_;
  std::size_t line_ = 0;
  Time cache_{};  ///< longest read of a line that the last-level cache holds
  queues::LookAheadBoard board_;
  Hasher hash_;
  BlockDraws block_;
  BlockTimes pace_{};
  Time waited_{};
  Together together_{};
};

Together run_together(MerkleRun& run, const platform::Description& board, const program::TogetherJob& job) {
  Blocks blocks(board, run, job.messages);
  const int fine = job.grain == platform::Grain::fine ? job.count : std::min(job.count, kFineBlocks);
  for (int block = 0; block < fine; ++block) blocks.work_on(block);
  for (int block = fine; block < job.count; ++block) blocks.tell(block);
  return blocks.together();
}

std::vector<std::pair<std::string, double>> told(const MerkleRun& run) {
  const double memory = mean(run.first_reads, run.firsts);
  const auto [least, most] = std::ranges::minmax(run.speedups);
  std::vector<std::pair<std::string, double>> told{
      {"speedup.mean", mean(run.speedups)},
      {"speedup.min", least},
      {"speedup.max", most},
      {"first_touch_share", mean(run.first_touches)},
      {"from_cache_share", static_cast<double>(run.from_cache) / static_cast<double>(run.draws())},
      {"memory_read_s", memory},
      {"hashes_per_s", static_cast<double>(run.hashes) / run.elapsed.seconds()}};
  if (run.caches > 0) {
    const double hash = run.hash.seconds();
    const double cache = mean(run.cache_reads, run.caches);
    told.insert(told.end(), {{"formula_speedup", (hash + memory) / (hash + cache)}, {"cache_read_s", cache}});
  }
  return told;
}

std::shared_ptr<MerkleRun> run_of(const program::Values& values) {
  auto run = std::make_shared<MerkleRun>();
  run->size = Bytes{values.integer("size") * kMiB};
  run->window = Bytes{std::stoll(values.text("window")) * kMiB};
  run->reach = Bytes{values.integer("reach") * kMiB};
  run->hash = Time::seconds(1e-6 / values.number("hash-rate"));
  const auto named = std::ranges::find(queues::kHandOvers, values.text("handover"));
  run->hand_over = static_cast<queues::HandOver>(named - std::begin(queues::kHandOvers));
  if (run->window.count > run->size.count)
    throw Error(fmt::format("--window: expected at most the tree's {0} MiB (--size {0}), got {1} MiB",
                            run->size.count / kMiB, run->window.count / kMiB));
  return run;
}

program::ByteApplication of_values(const program::Values& values) {
  const auto run = run_of(values);
  const auto draws = static_cast<std::size_t>(values.integer("draws"));
  program::Extras extras{.counted = "blocks", .count = 30};
  extras.open = [run](const program::Opening& opening) { open(*run, opening.seed); };
  extras.told = [run] { return told(*run); };
  extras.parts = {"mmio"};
  extras.together = [run](const platform::Description& board, const program::TogetherJob& job) {
    return run_together(*run, board, job);
  };
  return program::Application<Draw, Digest>{
      .name = "merkle-tree",
      .summary =
          "hashes of nodes of a Merkle tree, which a circuit fetches ahead of the core (Gemieux et al., IEEE Access "
          "2018, V.C)",
      .input = draws,
      .output = draws,
      .fill = [run](int block, std::span<Draw> of_block) { fill(*run, block, of_block); },
      .reference =
          [run](std::span<const Draw> of_block, std::span<Digest> digests) {
            std::ranges::transform(of_block, digests.begin(), [&](Draw draw) { return run->tree->digest(draw); });
          },
      .extras = std::move(extras)}
      .bytes();
}

}  // namespace

program::Maker merkle_tree() {
  using enum program::ParameterKind;
  return {
      .parameters =
          {{.name = "handover",
            .kind = choice,
            .help = "how the core hands on the next node: not at all, by a line that the circuit polls "
                    "(through its cache or not), by a register, or by a line that the circuit holds; "
                    "each value of a list gets a row",
            .choices = {std::begin(queues::kHandOvers), std::end(queues::kHandOvers)},
            .several = true,
            .preset = "none,poll,poll-uncached,mmio,umsg"},
           {.name = "window",
            .kind = choice,
            .help = "part of the tree, from the root on, from which nodes are drawn",
            .choices = {"4MiB", "30MiB"},
            .preset = "4MiB"},
           {.name = "size", .help = "size of the tree", .unit = "MiB", .min = 1, .max = 1024, .preset = "30"},
           {.name = "reach",
            .help = "part of the tree, from the root on, that the circuit may fetch "
                    "(4 MB in Gémieux et al., 2018)",
            .unit = "MiB",
            .min = 0,
            .max = 1024,
            .preset = "4"},
           {.name = "draws", .help = "nodes that are hashed in a block", .min = 1, .max = 1 << 24, .preset = "64000"},
           {.name = "hash-rate",
            .kind = number,
            .help = "hashes a second of a core that has its data; calibrated on Gémieux et al.",
            .unit = "MH/s",
            .min = 0.001,
            .max = 1000,
            .preset = "2.06"}},
      .make = of_values};
}

}  // namespace isthmus::apps
