// Probes of shared memory: against the published latencies, and with each cause of them moved.
#include <gmock/gmock.h>

#include <map>

#include "base/refusal.hpp"
#include "isthmus/probes/probe.hpp"
#include "probes/found.hpp"

namespace isthmus::probes {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

struct Asked {
  std::string probe;
  std::vector<std::string> overrides{};
  std::vector<std::string> starts{};
  std::vector<Bytes> sizes{{64}};
  std::string target = "model:xeon-fpga-v1";
  int samples = 1;
};

std::vector<Finding> findings(const Asked& asked) {
  const Job job{.target = asked.target,
                .overrides = asked.overrides,
                .starts = asked.starts,
                .sizes = asked.sizes,
                .samples = asked.samples};
  return found_by(asked.probe, job);
}

/// In ns, by access and phase: "read all".
std::map<std::string, double> latencies(const Asked& asked) {
  std::map<std::string, double> found;
  for (const Finding& finding : findings(asked)) {
    EXPECT_EQ(finding.unit, "ns");
    EXPECT_EQ(text_of(finding, "channel"), "vl0");
    EXPECT_THAT(finding.samples, Each(finding.samples.front())) << "nothing differs from access to access";
    found[text_of(finding, "access") + " " + text_of(finding, "phase")] = finding.samples.front();
  }
  return found;
}

double rate(const Asked& asked) {
  return findings(asked).front().samples.front();
}

TEST(CacheHit, TakesThePublishedPhases) {  // choi2019, tables 3 and 4
  const auto ns = latencies({.probe = "cache-hit", .samples = 5});
  const std::map<std::string, double> published{
      {"read translation", 20},  {"read access", 35},  {"read reordering", 15}, {"read all", 70},
      {"write translation", 20}, {"write access", 35}, {"write reordering", 5}, {"write all", 60}};
  EXPECT_EQ(ns, published);
}

TEST(CacheMiss, TakesTheRoundTripBesides) {  // choi2019, table 3
  const auto ns = latencies({.probe = "cache-miss", .samples = 5});
  EXPECT_EQ(ns.at("read all"), 355);
  EXPECT_NEAR(ns.at("write all") / 360, 1, 0.06);
  EXPECT_EQ(ns.at("write all"), 60 + 285);
}

TEST(CacheMiss, MovesWithTheRoundTripAndAHitDoesNot) {
  const std::vector<std::string> far{"link.qpi.round_trip=385ns"};
  EXPECT_EQ(latencies({.probe = "cache-hit", .overrides = far}), latencies({.probe = "cache-hit"}));
  EXPECT_EQ(latencies({.probe = "cache-miss", .overrides = far}).at("read all"), 455);
}

TEST(CacheMiss, OfALineThatTheHostsCacheHasIsServedFromThere) {
  const auto cold = latencies({.probe = "cache-miss", .starts = {"cold"}});
  EXPECT_EQ(cold.at("read all"), 355 - 60 + 20);
  const auto near = latencies({.probe = "cache-miss", .overrides = {"host.llc.hit_latency=10ns"}, .starts = {"cold"}});
  EXPECT_EQ(near.at("read all"), 355 - 60 + 10);
}

TEST(CacheHit, WithoutAPageTableSavesItsCycles) {
  EXPECT_EQ(latencies({.probe = "cache-hit", .overrides = {"translation.enabled=false"}}).at("read translation"), 10);
}

constexpr Bytes kOfTheCache{64 << 10U};
constexpr Bytes kLarge{1 << 20U};

TEST(SharedRead, IsAsFastAsItsPlateau) {  // choi2019, figure 4: 7.0 and 4.9 GB/s
  EXPECT_NEAR(rate({.probe = "shared-read", .sizes = {kLarge}}) / 7.0, 1, 0.02);
  EXPECT_NEAR(rate({.probe = "shared-write", .sizes = {kLarge}}) / 4.9, 1, 0.03);
}

TEST(SharedRead, OfWhatTheCacheHoldsMovesALineACycle) {
  const double line_a_cycle = 12.8;
  EXPECT_NEAR(rate({.probe = "shared-read", .starts = {"warm"}, .sizes = {kOfTheCache}}) / line_a_cycle, 1, 0.02);
  EXPECT_NEAR(rate({.probe = "shared-write", .starts = {"warm"}, .sizes = {kOfTheCache}}) / line_a_cycle, 1, 0.02);
}

TEST(SharedRead, ThroughACacheThatHoldsNothingOfItIsAsSlowWarmAsFlushed) {
  const std::vector<std::string> none{"cache.size=1KiB", "host.llc.size=16KiB", "host.llc.ways=1"};
  const auto asked = [&](const char* start) {
    return rate({.probe = "shared-read", .overrides = none, .starts = {start}, .sizes = {kOfTheCache}});
  };
  EXPECT_NEAR(asked("warm") / asked("flushed"), 1, 0.01);
  EXPECT_GT(rate({.probe = "shared-read", .starts = {"warm"}, .sizes = {kOfTheCache}}), 1.5 * asked("warm"));
}

TEST(SharedRead, IsAsFastAsTheCircuitAsks) {
  const auto at = [](const char* clock) {
    return rate({.probe = "shared-read", .overrides = {clock}, .starts = {"warm"}, .sizes = {kOfTheCache}});
  };
  EXPECT_NEAR(at("kernel.clock=100MHz") / at("kernel.clock=50MHz"), 2, 0.05);
}

TEST(SharedRead, OverTwoPortsMovesTwiceAsMuchOfWhatTheCacheHolds) {
  const auto at = [](const char* ports) {
    return rate({.probe = "shared-read", .overrides = {ports}, .starts = {"warm"}, .sizes = {kOfTheCache}});
  };
  EXPECT_NEAR(at("cache.ports=2") / at("cache.ports=1"), 2, 0.1);
}

TEST(Shared, RefusesWhatCannotBe) {
  const auto refusal = [](const Asked& asked) { return isthmus::refusal([&] { findings(asked); }); };
  EXPECT_THAT(refusal({.probe = "shared-read", .sizes = {{100}}}), HasSubstr("a line of 64 B (cache.line), got 100 B"));
  EXPECT_THAT(
      refusal({.probe = "shared-write", .overrides = {"translation.entries=1"}, .sizes = {{2 * kLarge.count + 64}}}),
      HasSubstr("at most 2097152 B, what is left of 1 pages of 2097152 B (translation.entries, translation.page)"));
  EXPECT_EQ(refusal({.probe = "shared-write", .overrides = {"translation.entries=1"}, .sizes = {{2 * kLarge.count}}}),
            "");
  EXPECT_THAT(
      refusal({.probe = "shared-read", .overrides = {"host.memory.capacity=3MiB"}, .sizes = {{2 * kLarge.count + 64}}}),
      HasSubstr("shared memory: expected at most 2097152 B, what is left of 3145728 B of the host "
                "(host.memory.capacity) in pages of 2097152 B, got 2097216 B"));
  EXPECT_EQ(refusal({.probe = "shared-read", .starts = {"wrm"}}),
            "shared-read: --start: unknown start 'wrm': expected flushed, cold or warm; did you mean 'warm'?");
  EXPECT_EQ(refusal({.probe = "cache-hit", .starts = {"cold"}}),
            "cache-hit: --start: unknown start 'cold': expected warm");
  EXPECT_THAT(refusal({.probe = "cache-hit", .overrides = {"host.llc.enabled=false"}}),
              HasSubstr("expected true on a board with a coherent cache, got false"));
  EXPECT_THAT(refusal({.probe = "cache-hit", .overrides = {"link.qpi.round_trip=64ns"}}),
              HasSubstr("expected at least 14 cycles of cache.clock, got 64 ns"));
  EXPECT_THAT(refusal({.probe = "cache-hit", .overrides = {"cache.line=128B", "cache.size=128KiB"}}),
              HasSubstr("expected 128 B, as cache.line, got 64 B"));
  EXPECT_THAT(refusal({.probe = "cache-hit", .target = "model:aws-f1"}),
              HasSubstr("expected a board with coherent-link and translation and cache and reordering"));
}

}  // namespace
}  // namespace isthmus::probes
