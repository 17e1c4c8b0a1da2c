// Channels beside the coherent one: what a circuit and cores read and write, over whichever way.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "base/refusal.hpp"
#include "engine/drawn_dice.hpp"
#include "platform/shared_bench.hpp"

namespace isthmus::platform {
namespace {

using reference::Dice;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kBoard = "model:xeon-fpga-v2";
constexpr const char* kCapi = "model:ibm-capi";
constexpr std::uint8_t kVl0 = 0;
constexpr std::uint8_t kVh0 = 1;
constexpr std::uint8_t kVh1 = 2;

SharedSpec spec_of(const std::vector<std::string>& overrides, const char* board = kBoard) {
  return shared_spec(load(file_of(board), overrides));
}

template <class Value>
void set(std::vector<std::string>& overrides, const char* key, Value value) {
  overrides.push_back(fmt::format("{}={}", key, value));
}

void any_link(Dice& dice, const char* channel, std::vector<std::string>& overrides) {
  const auto key = [channel](const char* name) { return fmt::format("link.{}.{}", channel, name); };
  set(overrides, key("tags").c_str(), dice.one_of({1, 2, 8, 64}));
  set(overrides, key("posted_header_credits").c_str(), dice.one_of({1, 2, 64}));
  set(overrides, key("nonposted_header_credits").c_str(), dice.one_of({1, 2, 64}));
  set(overrides, key("flight").c_str(), dice.one_of({"5ns", "50ns", "150ns"}));
}

std::vector<std::string> any_overrides(Dice& dice) {
  std::vector<std::string> overrides;
  for (const char* channel : {"vh0", "vh1"}) any_link(dice, channel, overrides);
  set(overrides, "queue.depth", dice.one_of({1, 2, 8}));
  set(overrides, "va.round_robin", dice.chance(50));
  set(overrides, "cache.interval", dice.number(1, 2));
  set(overrides, "cache.reads_in_flight", dice.number(1, 4));
  set(overrides, "cache.writes_in_flight", dice.number(1, 4));
  set(overrides, "kernel.clock", dice.one_of({"137MHz", "200MHz", "273MHz", "400MHz"}));
  return overrides;
}

std::vector<std::string> any_overrides_of_capi(Dice& dice) {
  std::vector<std::string> overrides{"translation.enabled=false"};
  set(overrides, "link.capi.lanes", dice.one_of({1, 8}));
  set(overrides, "cache.interval", dice.number(1, 2));
  set(overrides, "cache.reads_in_flight", dice.number(1, 4));
  set(overrides, "cache.writes_in_flight", dice.number(1, 4));
  set(overrides, "kernel.clock", dice.one_of({"137MHz", "250MHz", "400MHz"}));
  return overrides;
}

/// Few lines, little room.
SharedBench any_bench(Dice& dice, const SharedSpec& spec, const std::vector<std::vector<std::uint8_t>>& channels) {
  SharedBench bench{.spec = spec, .circuit = {}, .cores = {}};
  const int line = spec.coherence.line;
  bench.seed = static_cast<std::uint64_t>(dice.between(1, 1 << 30));
  bench.schedule_seed = dice.chance(30) ? 0 : static_cast<std::uint64_t>(dice.between(1, 1 << 30));
  bench.lines = dice.number(1, 5);
  if (!dice.chance(20)) bench.spec.coherence.depth = 1;
  for (fabric::CoherenceAgent& agent : bench.spec.coherence.agents) {
    agent.cache.ways = dice.one_of({1, 2});
    agent.cache.size = {line * agent.cache.ways * dice.number(1, 4)};
  }
  bench.circuit = {.count = dice.number(20, 100),
                   .at_once = dice.number(1, 12),
                   .lines = bench.lines,
                   .writes = dice.one_of({10, 50, 90}),
                   .most = dice.number(1, 4),
                   .channels = dice.one_of(channels)};
  const int cores = dice.number(1, 2);
  for (int core = 1; core <= cores; ++core)
    bench.cores.push_back({.id = core,
                           .count = dice.number(20, 100),
                           .at_once = dice.number(1, 6),
                           .lines = bench.lines,
                           .line = line,
                           .writes = dice.one_of({10, 50, 90}),
                           .idle = dice.one_of({0, 50, 95}),
                           .uncached = false});
  return bench;
}

SharedBench drawn() {
  Dice dice = reference::drawn_dice();
  const SharedSpec spec = spec_of(any_overrides(dice));
  return any_bench(dice, spec,
                   {{kVh0}, {kVh1}, {fabric::kAnyChannel}, {kVl0, kVh0}, {kVl0, kVh0, kVh1, fabric::kAnyChannel}});
}

RC_GTEST_PROP(Capi, KeepsEveryWordAndNoTwoSharersThatAnswer, ()) {
  Dice dice = reference::drawn_dice();
  const SharedSpec spec = spec_of(any_overrides_of_capi(dice), kCapi);
  RC_ASSERT(!spec.coherence.forward);
  const fabric::CoherenceRun result = run(any_bench(dice, spec, {{kVl0}}));
  RC_ASSERT(result.stuck == "");
  RC_ASSERT(coherence::disorder(result.operations) == "");
  RC_ASSERT(coherence::forbidden_pair(result.changes, spec.coherence.forward) == "");
}

RC_GTEST_PROP(Channels, KeepEveryWordOnceAFenceIsAnswered, ()) {
  const fabric::CoherenceRun result = run(drawn());
  RC_ASSERT(result.stuck == "");
  RC_ASSERT(coherence::disorder(result.operations) == "");
  RC_ASSERT(coherence::forbidden_pair(result.changes, true) == "");
}

RC_GTEST_PROP(Channels, AreTheSameInWhateverOrderActorsRun, ()) {
  SharedBench bench = drawn();
  const std::uint64_t seed = bench.schedule_seed | 1U;
  bench.schedule_seed = 0;
  const auto in_turn = run(bench).operations;
  bench.schedule_seed = seed;
  RC_ASSERT(run(bench).operations == in_turn);
}

/// One line that the circuit writes and reads over PCIe and over QPI, beside a core that reads it.
SharedBench one_line(bool fenced) {
  SharedBench bench{.spec = spec_of({}), .circuit = {}, .cores = {}, .lines = 1};
  bench.circuit = {.count = 200, .at_once = 1, .lines = 1, .fenced = fenced, .channels = {kVl0, kVh0}};
  bench.cores = {
      {.id = 1, .count = 200, .at_once = 1, .lines = 1, .line = 64, .writes = 0, .idle = 0, .uncached = false}};
  return bench;
}

TEST(Channels, GiveStaleReadsBehindAWriteWithoutAFence) {
  EXPECT_NE(coherence::disorder(run(one_line(false)).operations), "");
  EXPECT_EQ(coherence::disorder(run(one_line(true)).operations), "");
}

TEST(Channels, AreNamedWithTheChoiceAmongThem) {
  EXPECT_THAT(ways_of(spec_of({})), ElementsAre("vl0", "vh0", "vh1", "va"));
  EXPECT_THAT(ways_of(shared_spec(load(file_of("model:xeon-fpga-v1")))), ElementsAre("vl0"));
  EXPECT_EQ(way_named(spec_of({}), "vh1"), kVh1);
  EXPECT_EQ(way_named(spec_of({}), "va"), fabric::kAnyChannel);
}

TEST(Channels, RefuseWhatCannotBe) {
  const auto refusal = [](const std::vector<std::string>& overrides) {
    return isthmus::refusal([&] { spec_of(overrides); });
  };
  EXPECT_THAT(refusal({"queue.depth=0"}), HasSubstr("key 'queue.depth': expected 1..64, got 0"));
  EXPECT_THAT(refusal({"cache.ports=2"}),
              HasSubstr("key 'cache.ports': expected 1 on a board with PCIe channels, got 2"));
  EXPECT_THAT(refusal({"cache.line=128B", "host.llc.line=128B"}),
              HasSubstr("expected 64 on a board with PCIe channels"));
  EXPECT_THAT(refusal({"reordering.read=1"}), HasSubstr("expected at least 2 cycles, got 1"));
  EXPECT_THAT(refusal({"link.vh1.round_trip=300ns"}), HasSubstr("key 'link.vh1.round_trip': expected more than the"));
}

}  // namespace
}  // namespace isthmus::platform
