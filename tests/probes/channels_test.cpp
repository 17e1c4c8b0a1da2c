// Channels of the Xeon+FPGA v2 against what gemieux2018 and choi2019 measured, each with its cause moved.
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "base/refusal.hpp"
#include "isthmus/probes/probe.hpp"
#include "probes/found.hpp"

namespace isthmus::probes {
namespace {

using ::testing::HasSubstr;

struct Asked {
  std::string probe;
  std::string channel{};
  std::string start = "warm";
  std::int64_t lines = 1;
  std::vector<std::string> overrides{};
  std::int64_t burst = 64;
};

std::vector<Finding> findings(const Asked& asked) {
  Job job{.target = "model:xeon-fpga-v2",
          .overrides = asked.overrides,
          .sizes = {{64 * asked.lines}},
          .bursts = {{asked.burst}}};
  if (!asked.channel.empty()) job.channels = {asked.channel};
  if (!asked.start.empty()) job.starts = {asked.start};
  return found_by(asked.probe, job);
}

/// Cycles of 2.5 ns of a whole access.
double cycles(const Asked& asked, const std::string& access) {
  for (const Finding& finding : findings(asked))
    if (text_of(finding, "access") == access && text_of(finding, "phase") == "all")
      return finding.samples.front() / 2.5;
  return 0;
}

double rate(const Asked& asked) {
  return findings(asked).front().samples.front();
}

std::map<std::string, std::int64_t> requests(const Asked& asked) {
  const auto over = findings(asked).front().requests;
  return {over.begin(), over.end()};
}

constexpr std::int64_t kMany = 65535;

TEST(Channels, HitsAndMissesTakeThePublishedCycles) {  // gemieux2018, table 3
  EXPECT_EQ(cycles({.probe = "cache-hit"}, "read"), 25);
  EXPECT_EQ(cycles({.probe = "cache-hit"}, "write"), 28);
  EXPECT_EQ(cycles({.probe = "cache-miss", .start = "cold"}, "read"), 119);
  EXPECT_NEAR(cycles({.probe = "cache-miss", .start = "cold"}, "write") / 129, 1, 0.06);
  for (const char* access : {"read", "write"})  // host.memory.latency in place of host.llc.hit_latency
    EXPECT_EQ(cycles({.probe = "cache-miss", .start = "flushed"}, access),
              cycles({.probe = "cache-miss", .start = "cold"}, access) + (60 - 20) / 2.5);
}

TEST(Channels, ALineOverPcieTakesThePublishedTimeWhateverTheCacheHolds) {  // gemieux2018, V.A
  for (const char* start : {"cold", "flushed"})
    EXPECT_NEAR(cycles({.probe = "cache-miss", .channel = "vh0", .start = start}, "read") / 250, 1, 0.01);
  const auto warm = [](const char* channel) {
    return rate({.probe = "shared-read", .channel = channel, .lines = 1024}) /
           rate({.probe = "shared-read", .channel = channel, .start = "cold", .lines = 1024});
  };
  EXPECT_NEAR(warm("vh0"), 1, 0.02);
  EXPECT_GT(warm("vl0"), 2);
}

TEST(Channels, AWriteOverPcieIsAnsweredWhenTheRootPortHasIt) {
  const auto at = [](const char* flight) {
    return cycles({.probe = "cache-miss", .channel = "vh0", .start = "cold", .overrides = {flight}}, "write");
  };
  EXPECT_NEAR(at("link.vh0.flight=150ns") - at("link.vh0.flight=50ns"), 40, 2);
}

TEST(Channels, AFlushedLineTakesThePublishedTimeOnEitherClock) {  // choi2019, table 5: 323 ns
  for (const char* clock : {"kernel.clock=200MHz", "kernel.clock=400MHz"})
    EXPECT_NEAR(cycles({.probe = "cache-miss", .start = "flushed", .overrides = {clock}}, "read") * 2.5 / 323, 1, 0.1);
}

TEST(Channels, TheUserClockSetsThePlateau) {  // choi2019, figure 4: 12.8 GB/s at 200 MHz
  const auto at = [](const char* clock, const char* probe) {
    return rate({.probe = probe, .channel = "va", .start = "flushed", .lines = kMany, .overrides = {clock}});
  };
  for (const char* probe : {"shared-read", "shared-write"}) {
    EXPECT_NEAR(at("kernel.clock=200MHz", probe) / 12.8, 1, 0.02);
    EXPECT_NEAR(at("kernel.clock=137MHz", probe) / (0.137 * 64), 1, 0.02);
  }
  EXPECT_GT(at("kernel.clock=400MHz", "shared-write"), 1.25 * 12.8);
  // three channels, each at the 5.2 GB/s that it reaches alone (gemieux2018, figure 6)
  EXPECT_NEAR(at("kernel.clock=400MHz", "shared-read") / (3 * 5.2), 1, 0.1);
}

TEST(Channels, ReadsOverAllAreNotHeldUpAtTheHome) {
  const std::vector<std::string> all{"cache.reads_in_flight=200", "link.vh0.tags=256", "link.vh1.tags=256"};
  const auto over = [&all](const char* channel) {
    return rate({.probe = "shared-read", .channel = channel, .start = "flushed", .lines = kMany, .overrides = all});
  };
  EXPECT_NEAR(over("va") / (over("vl0") + over("vh0") + over("vh1")), 1, 0.02);
}

TEST(Channels, WarmQpiIsAsFastAsItsPort) {  // gemieux2018, figure 7b: 12.6 GB/s
  for (const char* probe : {"shared-read", "shared-write"}) {
    EXPECT_NEAR(rate({.probe = probe, .channel = "vl0", .lines = 1024}) / 12.6, 1, 0.05);
    EXPECT_GT(rate({.probe = probe, .channel = "vl0", .lines = 1024, .overrides = {"cache.interval=1"}}), 20);
  }
}

TEST(Channels, OnePcieLinkIsAsFastAsItsHeadersLeaveOfIt) {  // gemieux2018, figure 6c: 5.2 GB/s
  for (const char* probe : {"shared-read", "shared-write"}) {
    const auto at = [probe](std::int64_t burst, const std::vector<std::string>& overrides) {
      return rate(
          {.probe = probe, .channel = "vh1", .start = "cold", .lines = 16384, .overrides = overrides, .burst = burst});
    };
    EXPECT_NEAR(at(64, {}) / 5.2, 1, 0.05);
    EXPECT_NEAR(at(64, {"link.vh1.tags=256"}) / at(64, {}), 1, 0.01) << "more under way changes nothing";
    EXPECT_GT(at(256, {}), 1.2 * 5.2) << "fewer headers do";
  }
}

TEST(Channels, TogetherMoveWhatIsPublished) {  // gemieux2018, figure 7e: 20.634 GB/s, 19 in the mean
  const double read = rate({.probe = "shared-read", .channel = "va", .lines = 1024});
  const double write = rate({.probe = "shared-write", .channel = "va", .lines = 1024});
  EXPECT_NEAR(write / 20.634, 1, 0.1);
  EXPECT_NEAR((read + write) / 2 / 19, 1, 0.07);
}

TEST(Channels, TheShortestQueueSplitsRequestsAsPublished) {  // gemieux2018, figure 7c
  const auto many = requests({.probe = "shared-read", .channel = "va", .lines = 256});
  EXPECT_NEAR(static_cast<double>(many.at("vl0")), 137, 4);
  EXPECT_NEAR(static_cast<double>(many.at("vh0") + many.at("vh1")), 119, 4);
  const auto one = requests({.probe = "shared-read", .channel = "va"});
  EXPECT_EQ(one.at("vl0"), 1);
  EXPECT_EQ(one.at("vh0") + one.at("vh1"), 0);
}

TEST(Channels, InTurnTheySplitThemByThree) {
  const auto many =
      requests({.probe = "shared-read", .channel = "va", .lines = 255, .overrides = {"va.round_robin=true"}});
  for (const char* channel : {"vl0", "vh0", "vh1"}) EXPECT_EQ(many.at(channel), 85);
}

TEST(Channels, RequestsOfSeveralLinesGoOverOneChannel) {
  const auto over = requests({.probe = "shared-write", .channel = "va", .lines = 256, .burst = 256});
  EXPECT_EQ(over.at("vl0") + over.at("vh0") + over.at("vh1"), 64);
}

/// Over PCIe, as a part of that over QPI, in a cold cache.
double pcie_to_qpi(const char* probe, std::int64_t lines) {
  const auto over = [&](const char* channel) {
    return rate({.probe = probe, .channel = channel, .start = "cold", .lines = lines});
  };
  return over("vh0") / over("vl0");
}

TEST(Channels, ColdWritesOverPcieAreAheadToThePublishedLine) {  // gemieux2018, figure 6a: 32 lines
  std::int64_t last = 0;
  for (std::int64_t lines = 1; lines <= 64; ++lines)
    if (pcie_to_qpi("shared-write", lines) >= 1) last = lines;
  EXPECT_NEAR(static_cast<double>(last) / 32, 1, 0.2);
}

// The reads of QPI come in groups of as many as are under way, so that the ratio is a saw; its first tooth counts.
TEST(Channels, ColdReadsOverBothAreEqualFromThePublishedLine) {  // gemieux2018, figure 6b: 128 lines
  std::int64_t first = 1;
  while (pcie_to_qpi("shared-read", first) < 0.85 && first < 512) ++first;
  EXPECT_NEAR(static_cast<double>(first) / 128, 1, 0.2);
  EXPECT_NEAR(pcie_to_qpi("shared-read", kMany), 1, 0.05);
}

TEST(Channels, ColdQpiHasItsPublishedPlateaus) {  // gemieux2018, V.A: 5.2 and, to the cache's size, 10 GB/s
  EXPECT_NEAR(rate({.probe = "shared-read", .channel = "vl0", .start = "cold", .lines = kMany}) / 5.2, 1, 0.03);
  EXPECT_NEAR(rate({.probe = "shared-write", .channel = "vl0", .start = "cold", .lines = 1024}) / 10, 1, 0.03);
  EXPECT_LT(rate({.probe = "shared-write", .channel = "vl0", .start = "cold", .lines = kMany}), 7.5);
}

TEST(Loopback, BringsEveryLineBackOverEachChannelWhoeverBegins) {
  for (const char* channel : {"vl0", "vh0", "vh1", "va"}) {
    std::set<std::string> starters;
    for (const std::int64_t lines : {1, 3, 1500}) {
      for (const Finding& finding : findings({.probe = "loopback", .channel = channel, .start = "", .lines = lines})) {
        EXPECT_EQ(finding.unit, "ns");
        starters.insert(text_of(finding, "started_by"));
        // each line crosses twice at the rate of the fastest port, and the core waits for one round trip at least
        EXPECT_GT(finding.samples.front(), 2 * 2.5 * static_cast<double>(lines) + 297.5);
      }
    }
    EXPECT_EQ(starters, (std::set<std::string>{"fpga", "cpu"}));
  }
}

TEST(Loopback, IsAboutAsFastOverQpiAsOverPcieInAColdCache) {  // gemieux2018, figure 6h
  const auto over = [](const char* channel) {
    return findings({.probe = "loopback", .channel = channel, .start = "", .lines = 1024}).front().samples.front();
  };
  // without a directory 1.09, where the paper's curves lie on each other
  EXPECT_NEAR(over("vh0") / over("vl0"), 1, 0.25);
}

TEST(Channels, RefuseWhatCannotBe) {
  const auto refusal = [](const Asked& asked) { return isthmus::refusal([&] { findings(asked); }); };
  EXPECT_THAT(refusal({.probe = "shared-read", .channel = "vh2"}),
              HasSubstr("--channel: unknown channel 'vh2': expected vl0, vh0, vh1 or va"));
  EXPECT_THAT(refusal({.probe = "shared-read", .lines = 8, .burst = 512}),
              HasSubstr("--burst: expected at most 256 B a request, got 512 B"));
  EXPECT_THAT(refusal({.probe = "shared-read", .lines = 8, .burst = 100}), HasSubstr("--burst: expected multiples"));
  EXPECT_THAT(refusal({.probe = "shared-read", .overrides = {"queue.depth=0"}}), HasSubstr("expected 1..64, got 0"));
}

}  // namespace
}  // namespace isthmus::probes
