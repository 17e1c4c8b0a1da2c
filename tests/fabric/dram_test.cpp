#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "fabric/dram_bench.hpp"
#include "stream/fairness.hpp"

namespace isthmus::fabric::test {
namespace {

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint32_t kBurst = 64;
constexpr std::uint32_t kLong = 1024;

double cycles(const DramSpec& spec, double count) {
  return count / spec.clock.hertz();
}

double first_reply(const DramSpec& spec, const std::vector<DramRequest>& before, std::uint64_t address) {
  DramMaster master{.requests = before};
  const Time at = Time::us(2);
  master.requests.push_back({at, address, kBurst});
  return (run_dram(spec, {master}).replies[0].back() - at).seconds();
}

std::vector<DramRequest> stream(std::uint64_t from, int count, std::uint32_t bytes) {
  std::vector<DramRequest> requests;
  for (int i = 0; i < count; ++i) requests.push_back({Time{}, from + static_cast<std::uint64_t>(i) * bytes, bytes});
  return requests;
}

/// Bytes a second from the first to the last reply.
double rate(const std::vector<Time>& replies, std::uint32_t bytes) {
  return static_cast<double>(bytes) * static_cast<double>(replies.size() - 1) /
         (replies.back() - replies.front()).seconds();
}

double refresh_loss(const DramSpec& spec) {
  // Closing, refreshing and opening again take the bus for tRP + tRFC + tRCD in every tREFI.
  return (spec.tRFC + spec.tRP + spec.tRCD).seconds() / spec.tREFI.seconds();
}

TEST(Dram, ReadOfAClosedRowTakesTheIdleLatency) {
  for (const DramSpec& spec : {ddr4_2133(), ddr3_1600()})
    EXPECT_NEAR(first_reply(spec, {}, 0), spec.idle_latency.seconds(), cycles(spec, 1.01));
}

TEST(Dram, ReadOfAnOpenRowSavesTheActivate) {
  const DramSpec spec = ddr4_2133();
  const double hit = first_reply(spec, {{Time{}, 0, kBurst}}, 4 * kBurst);
  EXPECT_NEAR(hit, spec.idle_latency.seconds() - cycles(spec, 15), cycles(spec, 1.01));
}

TEST(Dram, ReadOfAnotherRowOfTheBankPaysThePrechargeAsWell) {
  const DramSpec spec = ddr4_2133();
  const std::uint64_t next_row = 4 * 4 * 8 * kKiB;
  const double conflict = first_reply(spec, {{Time{}, 0, kBurst}}, next_row);
  EXPECT_NEAR(conflict, spec.idle_latency.seconds() + cycles(spec, 15), cycles(spec, 1.01));
}

TEST(Dram, AStreamOfReadsLosesTheRefreshesAlone) {
  for (const DramSpec& spec : {ddr4_2133(), ddr3_1600()}) {
    const DramRun run = run_dram(spec, {{.requests = stream(0, 4000, kLong)}});
    const double peak = spec.clock.hertz() * 2 * 8;
    EXPECT_NEAR(rate(run.replies[0], kLong), peak * (1 - refresh_loss(spec)), 0.01 * peak);
  }
}

TEST(Dram, AStreamOfWritesLosesTheRefreshesAlone) {
  const DramSpec spec = ddr4_2133();
  const DramRun run = run_dram(spec, {{.writes = true, .requests = stream(0, 4000, kLong)}});
  const double peak = spec.clock.hertz() * 2 * 8;
  EXPECT_NEAR(rate(run.replies[0], kLong), peak * (1 - refresh_loss(spec)), 0.015 * peak);
}

TEST(Dram, ReadsAndWritesSideBySidePayTheTurnsOfTheBus) {
  const DramSpec spec = ddr4_2133();
  // Half the banks apart, so that no row is fought over.
  const DramRun run = run_dram(
      spec, {{.requests = stream(0, 4000, kLong)}, {.writes = true, .requests = stream(8 * kKiB * 8, 4000, kLong)}});
  // Sixteen bursts of four cycles each way. Read to write: CL + BL/2 + 2 - CWL = 10, of which a burst is 4. Write to
  // read: CWL + BL/2 + tWTR = 11 + 4 + 3 to another bank group; the last written is the fourth, the first read the
  // first.
  const double pair = 16 * 4 * 2 + (10 - 4) + (18 - 4);
  const double expected = 2 * kLong / cycles(spec, pair) * (1 - refresh_loss(spec));
  const double got = rate(run.replies[0], kLong) + rate(run.replies[1], kLong);
  EXPECT_NEAR(got, expected, 0.02 * expected);
}

TEST(Dram, RandomBurstsAreBoundByTheFourActivateWindowOrTheBus) {
  const DramSpec spec = ddr3_1600();
  std::mt19937_64 random(7);
  std::vector<DramRequest> requests;
  for (int i = 0; i < 4000; ++i) requests.push_back({Time{}, random() % (32U << 20U) / kBurst * kBurst, kBurst});
  const DramRun run = run_dram(spec, {{.requests = requests}});
  EXPECT_LT(rate(run.replies[0], kBurst), 4 * kBurst / spec.tFAW.seconds());
}

DramMaster random_master(std::mt19937_64& random, bool writes) {
  DramMaster master{.writes = writes, .requests = {}};
  Time at;
  for (int i = 0; i < 1500; ++i) {
    if (random() % 16 == 0) at = at + Time::ns(static_cast<std::int64_t>(random() % 9000));
    const std::uint32_t bytes = kBurst << (random() % 7);
    const std::uint64_t region = random() % 3 == 0 ? 64 * kKiB : 32 * kKiB * kKiB;
    master.requests.push_back({at, random() % region / bytes * bytes, bytes});
  }
  return master;
}

TEST(Dram, RandomTrafficBreaksNoTiming) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    std::mt19937_64 random(seed);
    const DramSpec spec = seed % 2 == 0 ? ddr4_2133() : ddr3_1600();
    const DramRun run = run_dram(spec, {random_master(random, false), random_master(random, true),
                                        random_master(random, false), random_master(random, true)});
    EXPECT_THAT(violations(spec, run.commands), testing::IsEmpty()) << "seed " << seed;
    for (const auto& replies : run.replies) EXPECT_EQ(replies.size(), 1500U);
  }
}

TEST(Dram, TheCheckerFindsACommandThatIsEarly) {
  DramSpec spec = ddr4_2133();
  std::mt19937_64 random(3);
  const DramRun run = run_dram(spec, {random_master(random, false), random_master(random, true)});
  for (Time DramSpec::*timing :
       {&DramSpec::tRCD, &DramSpec::tRP, &DramSpec::tRAS, &DramSpec::tRTP, &DramSpec::tWR, &DramSpec::tCCD_L,
        &DramSpec::tRRD_S, &DramSpec::tRRD_L, &DramSpec::tFAW, &DramSpec::tWTR_S, &DramSpec::tWTR_L, &DramSpec::tRFC}) {
    DramSpec slower = spec;
    slower.*timing = slower.*timing + Time::ns(1);
    EXPECT_THAT(violations(slower, run.commands), testing::Not(testing::IsEmpty()));
  }
}

/// The masters in the order in which they were served: replies of a direction come as long after that as any other.
std::vector<std::uint32_t> served(const DramRun& run) {
  std::vector<std::pair<Time, std::uint32_t>> replies;
  for (std::uint32_t master = 0; master < run.replies.size(); ++master)
    for (const Time at : run.replies[master]) replies.emplace_back(at, master);
  std::ranges::sort(replies);
  std::vector<std::uint32_t> order;
  for (const auto& [at, master] : replies) order.push_back(master);
  return order;
}

TEST(Dram, OfNMastersNoneWaitsForMoreThanNMinusOneRequestsHoweverLargeTheOthersAre) {
  constexpr int kRequests = 40;
  for (const bool writes : {false, true})
    for (const std::uint32_t masters : {1U, 2U, 3U, 8U}) {
      std::vector<DramMaster> asking;
      for (std::uint32_t master = 0; master < masters; ++master) {
        DramMaster all{.writes = writes, .requests = {}};
        // master 0 asks for a burst at a time, beside others that asked for more and more, and earlier
        for (int i = 0; i < kRequests; ++i)
          all.requests.push_back({.at = Time::ns(masters - master),
                                  .address = (std::uint64_t{master} << 20U) + static_cast<std::uint64_t>(i) * 1024,
                                  .bytes = 64 * (1 + 2 * master)});
        asking.push_back(std::move(all));
      }
      expect_fair(served(run_dram(ddr4_2133(), asking)), masters, kRequests);
    }
}

TEST(Dram, BusyStarvedAndBlockedAreItsLifetime) {
  std::mt19937_64 random(1);
  const DramRun run = run_dram(ddr4_2133(), {random_master(random, false), random_master(random, true)});
  const ActorReport& dram = run.report.actor("dram");
  EXPECT_EQ(dram.busy + dram.starved + dram.blocked, dram.lifetime);
  EXPECT_GT(dram.starved, Time{});
}

}  // namespace
}  // namespace isthmus::fabric::test
