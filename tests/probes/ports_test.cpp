// Ports of the FPGA to a processor's memory: what min2019 says of figures 2 and 3, and each cause of it moved.
#include <gmock/gmock.h>

#include "isthmus/base/error.hpp"
#include "isthmus/probes/probe.hpp"
#include "probes/found.hpp"

namespace isthmus::probes {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::ThrowsMessage;

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = 1024 * kKiB;

struct Asked {
  std::string probe;
  std::string port;
  std::string state;
  std::vector<std::string> overrides{};
  Bytes offset{};
  std::string target = "model:zynq-ultrascale";
};

std::vector<Finding> findings(const Asked& asked, const std::vector<Bytes>& sizes) {
  const Job job{.target = asked.target,
                .overrides = asked.overrides,
                .ports = {asked.port},
                .states = {asked.state},
                .sizes = sizes,
                .offset = asked.offset};
  return found_by(asked.probe, job);
}

/// GB/s of bytes that arrive as they were sent.
double rate(const Asked& asked, std::int64_t bytes) {
  const Finding finding = findings(asked, {{bytes}}).front();
  EXPECT_EQ(finding.verified, true) << asked.probe << " " << asked.port << " " << asked.state;
  EXPECT_EQ(finding.unit, "GB/s");
  return finding.samples.front();
}

constexpr double kPort = 128 / 8 * 0.3;  // GB/s of 128 bit at 300 MHz

TEST(Ports, OfMemoryAndThoseThatWriteAreNearTheirTheoreticalRate) {
  for (const std::int64_t size : {64 * kKiB, 2 * kMiB})
    for (const char* state : {"written", "read", "flushed"}) {
      EXPECT_THAT(rate({"port-tx", "hp", state}, size), AllOf(Ge(4.5), Le(kPort)));
      EXPECT_THAT(rate({"port-rx", "hp", state}, size), AllOf(Ge(4.5), Le(kPort)));
      EXPECT_THAT(rate({"port-rx", "hpc", state}, size), AllOf(Ge(4.5), Le(kPort)));
    }
}

TEST(Ports, ASmallBufferPaysTheLatencyOfMemoryOnce) {
  const double large = rate({"port-tx", "hp", "flushed"}, 8 * kMiB);
  EXPECT_THAT(rate({"port-tx", "hp", "flushed"}, 4 * kKiB) / large, AllOf(Ge(0.70), Le(0.95)));
  const std::vector<std::string> far{"dram.idle_latency=130ns"};
  const double more =
      4096 / rate({"port-tx", "hp", "flushed", far}, 4 * kKiB) - 4096 / rate({"port-tx", "hp", "flushed"}, 4 * kKiB);
  EXPECT_NEAR(more, 130 - 90, 3.4) << "ns, to a cycle of the port";
}

TEST(Ports, TheInterconnectCostsALittleOfWhatNoCacheHas) {
  for (const std::int64_t size : {64 * kKiB, 2 * kMiB}) {
    EXPECT_THAT(rate({"port-rx", "hpc", "read"}, size) / rate({"port-rx", "hp", "read"}, size),
                AllOf(Ge(0.92), Le(0.98)));
    EXPECT_THAT(rate({"port-tx", "hpc", "flushed"}, size) / rate({"port-tx", "hp", "flushed"}, size),
                AllOf(Ge(0.88), Le(0.99)));
  }
}

TEST(Ports, WhatTheProcessorsCacheHoldsCrossesTheInterconnectSlowly) {
  const double hp = rate({"port-tx", "hp", "written"}, 32 * kMiB);
  for (const std::int64_t size : {4 * kKiB, 64 * kKiB, 512 * kKiB})
    EXPECT_LE(rate({"port-tx", "hpc", "written"}, size), 0.6 * hp);
  double before = 0;
  for (const std::int64_t size : {kMiB, 2 * kMiB, 4 * kMiB, 32 * kMiB}) {
    const double now = rate({"port-tx", "hpc", "written"}, size);
    EXPECT_GE(now, before) << size;
    before = now;
  }
  EXPECT_GE(before, 0.8 * hp);
  EXPECT_NEAR(rate({"port-tx", "hpc", "written"}, 512 * kKiB), 2 * 64 / 150.0, 0.01) << "two lines in 150 ns";
}

TEST(Ports, OfTheCacheAreAtFullRateOnWhatItHolds) {
  for (const char* probe : {"port-tx", "port-rx"}) {
    EXPECT_THAT(rate({probe, "acp", "written"}, 64 * kKiB), AllOf(Ge(4.5), Le(kPort)));
    const double flushed = rate({probe, "acp", "flushed"}, 64 * kKiB);
    EXPECT_LE(flushed, 0.6 * rate({probe, "hp", "flushed"}, 64 * kKiB));
  }
  const double at_64 = rate({"port-tx", "acp", "flushed"}, 64 * kKiB);
  for (std::int64_t size = 128 * kKiB; size <= 4 * kMiB; size *= 2)
    EXPECT_NEAR(rate({"port-tx", "acp", "flushed"}, size) / at_64, 1, 0.1);
}

/// The first size, in steps of 128 KiB, at which half of what is lost to a flushed buffer is lost.
std::int64_t knee(const std::vector<std::string>& overrides) {
  const double flushed = rate({"port-tx", "acp", "flushed", overrides}, 512 * kKiB);
  const double full = rate({"port-tx", "acp", "written", overrides}, 512 * kKiB);
  std::int64_t size = 512 * kKiB;
  while (rate({"port-tx", "acp", "written", overrides}, size) > (flushed + full) / 2) size += 128 * kKiB;
  return size;
}

TEST(Ports, OfTheCacheFallOffWhereItEndsAndTwiceAsLargeOneTwiceAsFar) {
  for (const std::string random : {"false", "true"}) {
    const std::string policy = "cpu.l2.random_replacement=" + random;
    const auto at = knee({policy});
    EXPECT_THAT(at, AllOf(Ge(768 * kKiB), Le(1536 * kKiB)));
    const auto twice = static_cast<double>(knee({policy, "cpu.l2.size=2MiB"}));
    EXPECT_THAT(twice / static_cast<double>(at), AllOf(Ge(1.8), Le(2.2)));
  }
}

TEST(Ports, AWholeLineThatNeedNotBeReadFirstIsWrittenIntoTheCacheFaster) {
  const Asked fetched{"port-rx", "acp", "flushed"};
  Asked at_once = fetched;
  at_once.overrides = {"cpu.l2.fetch_on_write=false"};
  EXPECT_GE(rate(at_once, 512 * kKiB), 1.5 * rate(fetched, 512 * kKiB));
}

TEST(Ports, WithoutSnoopsAreAsFastAsThoseOfMemoryAndStale) {
  const std::vector<std::string> off{"port.hpc.snoop=false"};
  for (const char* probe : {"port-tx", "port-rx"}) {
    const Finding finding = findings({probe, "hpc", "written", off}, {{kMiB}}).front();
    EXPECT_EQ(finding.verified, false);
    EXPECT_NEAR(finding.samples.front() / rate({probe, "hp", "written"}, kMiB), 1, 0.02);
    EXPECT_EQ(findings({probe, "hpc", "flushed", off}, {{kMiB}}).front().verified, true) << "no cache has anything";
  }
}

TEST(Ports, OfMemoryWithoutTheirFlushAreStale) {
  const std::vector<std::string> off{"cpu.maintenance.enabled=false"};
  for (const char* probe : {"port-tx", "port-rx"})
    for (const std::int64_t size : {4 * kKiB, 4 * kMiB})
      EXPECT_EQ(findings({probe, "hp", "written", off}, {{size}}).front().verified, false);
  EXPECT_EQ(findings({"port-tx", "hpc", "written", off}, {{kMiB}}).front().verified, true);
  EXPECT_EQ(findings({"port-rx", "acp", "written", off}, {{kMiB}}).front().verified, true);
}

TEST(Ports, GoWithTheWidthAndTheClockOfTheirDataPath) {
  for (const char* probe : {"port-tx", "port-rx"}) {
    const double whole = rate({probe, "hp", "flushed"}, kMiB);
    EXPECT_NEAR(rate({probe, "hp", "flushed", {"port.hp.clock=150MHz"}}, kMiB) / whole, 0.5, 0.01);
    EXPECT_NEAR(rate({probe, "hp", "flushed", {"port.hp.width=64"}}, kMiB) / whole, 0.5, 0.01);
    EXPECT_EQ(rate({probe, "hp", "flushed", {"port.acp.clock=150MHz", "port.hpc.width=64"}}, kMiB), whole);
  }
}

TEST(Ports, WithFewBurstsUnderWayWaitForMemory) {
  const double one = rate({"port-tx", "hp", "flushed", {"port.hp.outstanding=1"}}, kMiB);
  const double two = rate({"port-tx", "hp", "flushed", {"port.hp.outstanding=2"}}, kMiB);
  EXPECT_NEAR(two / one, 2, 0.1);
  EXPECT_LT(one, 0.3 * kPort);
}

TEST(Ports, OfWhatACoreHasStreamedCrossTheInterconnectAsIfItWereFlushed) {
  for (std::int64_t size = kMiB; size <= 2 * kMiB; size *= 2) {
    EXPECT_NEAR(rate({"port-tx", "hpc", "streamed"}, size) / rate({"port-tx", "hpc", "flushed"}, size), 1, 0.1);
    EXPECT_EQ(rate({"port-tx", "hpc", "streamed", {"cpu.write_stream.enabled=false"}}, size),
              rate({"port-tx", "hpc", "written"}, size));
  }
}

TEST(Ports, TellTheirPortAndStateAndGiveTheSameAgain) {
  const Job job{.target = "model:zynq-ultrascale", .sizes = {{4 * kKiB}, {8 * kKiB}}};
  const std::vector<Finding> found = found_by("port-tx", job);
  std::vector<std::string> told;
  for (const Finding& finding : found)
    if (finding.size.count == 4 * kKiB) told.push_back(text_of(finding, "port") + " " + text_of(finding, "state"));
  const std::vector<std::string> all{"hp written",  "hp read",     "hp flushed", "hpc written", "hpc read",
                                     "hpc flushed", "acp written", "acp read",   "acp flushed"};
  EXPECT_EQ(told, all);
  const std::vector<Finding> again = found_by("port-tx", job);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].times, again[i].times);
}

void expect_refused(const Asked& asked, std::int64_t bytes, const char* message) {
  EXPECT_THAT([&] { findings(asked, {{bytes}}); }, ThrowsMessage<Error>(HasSubstr(message)));
}

TEST(Ports, RefuseWhatCannotBeMoved) {
  expect_refused({"port-tx", "hpx", "read"}, kMiB, "--port: unknown port 'hpx': expected hp, hpc or acp");
  expect_refused({"port-tx", "hp", "dirty"}, kMiB, "--state: unknown state 'dirty'");
  expect_refused({"port-tx", "hp", "read"}, 100, "--sizes: expected multiples of a line of 64 B");
  expect_refused({"port-tx", "hp", "read"}, 5 * 1024 * kMiB, "--sizes: expected at most the 4294967296 B");
  expect_refused({"port-tx", "hp", "read", {}, {8}}, kMiB, "--offset: expected a multiple of a line of 64 B");
  expect_refused({"port-tx", "hp", "read", {"port.hp.burst=3"}}, kMiB, "key 'port.hp.burst'");
  expect_refused({"port-tx", "hp", "read", {"interconnect.latency=1ns"}}, kMiB, "key 'interconnect.latency'");
  expect_refused({"port-tx", "hp", "read", {}, {}, "model:aws-f1"}, kMiB, "expected a board with cpu");
}

}  // namespace
}  // namespace isthmus::probes
