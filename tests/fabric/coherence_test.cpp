// Caches and home against what any coherent memory does, and against closed forms.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "engine/drawn_dice.hpp"
#include "fabric/coherence_bench.hpp"

namespace isthmus::fabric {
namespace {

using coherence::Operation;
using reference::Dice;

TEST(CoherenceChecker, RefusesAReadOfWhatHasBeenOverwritten) {
  const Operation first{true, 0, 1, 0, 10};
  const Operation second{true, 0, 2, 20, 30};
  EXPECT_EQ(coherence::disorder({first, second, {false, 0, 2, 40, 50}}), "");
  EXPECT_EQ(coherence::disorder({first, second, {false, 0, 1, 25, 50}}), "") << "they overlap";
  EXPECT_NE(coherence::disorder({first, second, {false, 0, 1, 40, 50}}), "");
  EXPECT_NE(coherence::disorder({first, second, {false, 0, 0, 40, 50}}), "") << "nor what was there first";
  EXPECT_NE(coherence::disorder({first, {false, 0, 3, 40, 50}}), "") << "nor what nobody wrote";
  EXPECT_NE(coherence::disorder({second, {false, 0, 2, 0, 10}}), "") << "nor what is written later";
}

TEST(CoherenceChecker, RefusesReadsThatTurnBack) {
  const std::vector<Operation> writes{{true, 0, 1, 0, 100}, {true, 0, 2, 0, 100}};
  auto reads = writes;
  reads.insert(reads.end(), {{false, 0, 1, 10, 20}, {false, 0, 2, 30, 40}});
  EXPECT_EQ(coherence::disorder(reads), "");
  reads.push_back({false, 0, 1, 50, 60});
  EXPECT_NE(coherence::disorder(reads), "");
}

TEST(CoherenceChecker, RefusesPairsOfStatesThatExcludeEachOther) {
  const auto pair = [](char one, char other, bool forward = true) {
    return coherence::forbidden_pair({{1, 0, 7, one}, {2, 1, 7, other}}, forward);
  };
  for (const char* allowed : {"SS", "SF", "FS", "MI", "IE", "IB"}) EXPECT_EQ(pair(allowed[0], allowed[1]), "");
  for (const char* refused : {"MS", "ME", "MM", "EF", "FF", "SB", "EB", "BB"})
    EXPECT_NE(pair(refused[0], refused[1]), "") << refused;
  EXPECT_NE(pair('S', 'F', false), "");
}

CoherentCacheSpec any_cache(Dice& dice, int line, int ports) {
  const int ways = dice.one_of({1, 1, 2, 4});
  return {.size = Bytes{std::int64_t{line} * ways * dice.number(1, 4)},
          .ways = ways,
          .line = line,
          .ports = ports,
          .reads_in_flight = dice.number(1, 4),
          .writes_in_flight = dice.number(1, 4),
          .random = dice.chance(30),
          .fetches_lines = dice.chance(30)};
}

/// An FPGA's cache behind a service layer, and a host's with its cores; few lines, little room.
CoherenceBench any_bench(Dice& dice, bool qpi) {
  CoherenceBench bench;
  bench.seed = static_cast<std::uint64_t>(dice.between(1, 1 << 30));
  bench.schedule_seed = dice.chance(30) ? 0 : static_cast<std::uint64_t>(dice.between(1, 1 << 30));
  bench.lines = dice.number(1, 6);
  CoherenceSpec& spec = bench.coherence;
  const Clock clock{Frequency::mhz(dice.one_of({200, 400}))};
  spec.clock = clock;
  spec.line = qpi ? 64 : 128;
  spec.forward = qpi;
  spec.memory_latency = dice.number(2, 12);
  if (!dice.chance(20)) spec.depth = 1;
  spec.directory = dice.chance(70);
  const int caches = dice.chance(25) ? 3 : 2;
  int id = 0;
  for (int cache = 0; cache < caches; ++cache) {
    ClientsOfCache clients{.clients = {}, .service_layer = cache == 0, .clock = clock};
    if (dice.chance(30)) clients.clock = Clock{Frequency::mhz(dice.one_of({137, 200, 273, 400}))};
    const int ports = dice.number(1, 2);
    for (int port = 0; port < ports; ++port)
      clients.clients.push_back({.id = ++id,
                                 .count = dice.number(20, 120),
                                 .at_once = dice.number(1, 6),
                                 .lines = bench.lines,
                                 .line = spec.line,
                                 .writes = dice.one_of({10, 50, 90}),
                                 .idle = dice.one_of({0, 50, 95}),
                                 .uncached = dice.chance(50),
                                 .maintains = cache > 0 && dice.chance(50)});
    spec.agents.push_back({.name = cache == 0 ? "FPGA cache" : "host cache " + std::to_string(cache),
                           .cache = any_cache(dice, spec.line, ports),
                           .to_home = dice.number(qpi ? 1 : 2, 20),
                           .from_home = dice.number(qpi ? 1 : 2, 20)});
    if (!qpi && cache == 0)
      spec.agents.back().wire = {.to_home = Time::ns(dice.number(1, 100)), .from_home = Time::ns(dice.number(1, 100))};
    if (!spec.agents.back().wire && spec.agents.back().to_home > 1 && spec.agents.back().from_home > 1 &&
        dice.chance(30))
      spec.agents.back().snooped = {.interval = Time::ns(dice.number(1, 50)),
                                    .data = Time::ns(dice.number(1, 200)),
                                    .data_in_flight = dice.number(1, 3)};
    if (dice.chance(60))
      for (int& longer : spec.agents.back().longer) longer = dice.one_of({0, 0, 3, 30});
    bench.clients.push_back(clients);
  }
  if (dice.chance(60)) spec.filled = 1;
  if (dice.chance(60)) spec.remembered = 0;
  return bench;
}

void expect_coherent(bool qpi) {
  Dice dice = reference::drawn_dice();
  const CoherenceBench bench = any_bench(dice, qpi);
  const CoherenceRun result = run(bench);
  RC_ASSERT(result.stuck == "");
  RC_ASSERT(coherence::disorder(result.operations) == "");
  RC_ASSERT(coherence::forbidden_pair(result.changes, qpi) == "");
  RC_ASSERT(result.stale_memory == "");
}

RC_GTEST_PROP(Coherence, OfQpiKeepsEveryWordAndPairOfStates, ()) {
  expect_coherent(true);
}

RC_GTEST_PROP(Coherence, OfCapiKeepsEveryWordAndPairOfStates, ()) {
  expect_coherent(false);
}

RC_GTEST_PROP(Coherence, IsTheSameInWhateverOrderActorsRun, ()) {
  Dice dice = reference::drawn_dice();
  CoherenceBench bench = any_bench(dice, dice.chance(50));
  bench.schedule_seed = 0;
  const auto in_turn = run(bench).operations;
  bench.schedule_seed = static_cast<std::uint64_t>(dice.between(1, 1 << 30));
  RC_ASSERT(run(bench).operations == in_turn);
}

}  // namespace
}  // namespace isthmus::fabric
