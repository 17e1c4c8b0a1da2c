// What software costs on a processor whose memory the FPGA reaches by ports: what min2019 says of figure 4, and each
// cause of it moved.
#include <gmock/gmock.h>

#include <map>

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
constexpr double kLine = 64;
constexpr double kCycle = 1 / 1.2;            // ns, of the cores
constexpr double kRefreshed = 7800 / 7450.0;  // a DRAM stands still for 350 of 7800 ns

using Overrides = std::vector<std::string>;
/// ns a line, by where it comes from and goes to.
using Copies = std::map<std::string, double>;

Copies copies(std::int64_t bytes, const Overrides& overrides = {}) {
  const Job job{.target = "model:zynq-ultrascale", .overrides = overrides, .sizes = {{bytes}}};
  Copies found;
  for (const Finding& finding : found_by("memcpy", job)) {
    EXPECT_EQ(finding.verified, true);
    EXPECT_EQ(finding.unit, "GB/s");
    const double time = kLine / finding.samples.front();
    EXPECT_NEAR(static_cast<double>(finding.times.front().femtoseconds()) * 1e-6 / static_cast<double>(bytes) * kLine,
                time, 1e-6);
    found[text_of(finding, "from") + " " + text_of(finding, "to")] = time;
  }
  EXPECT_EQ(found.size(), 4);
  return found;
}

constexpr const char* kCached = "cacheable cacheable";
constexpr const char* kOut = "cacheable noncacheable";
constexpr const char* kIn = "noncacheable cacheable";
constexpr const char* kPast = "noncacheable noncacheable";

TEST(CopiesOfACore, FromNonCacheableMemoryAreSlowerByWhatThePaperSaysAtTheWorstSize) {
  double worst = 0;
  for (const std::int64_t size : {4 * kKiB, 64 * kKiB, 512 * kKiB, 2 * kMiB}) {
    const Copies at = copies(size);
    worst = std::max(worst, at.at(kIn) / at.at(kCached));
  }
  EXPECT_THAT(worst, AllOf(Ge(22), Le(38)));
}

TEST(CopiesOfACore, ToNonCacheableMemoryAreAboutAsFastAsToCacheable) {
  for (const std::int64_t size : {4 * kKiB, 64 * kKiB, 512 * kKiB, 2 * kMiB}) {
    const Copies at = copies(size);
    EXPECT_NEAR(at.at(kOut) / at.at(kCached), 1, 0.25) << size;
    EXPECT_NEAR(at.at(kPast) / at.at(kIn), 1, 0.25) << size;
  }
}

TEST(CopiesOfACore, FromNonCacheableMemoryWaitForItFourTimesALine) {
  const Copies near = copies(64 * kKiB);
  const Copies far = copies(64 * kKiB, {"dram.idle_latency=130ns"});
  const double most = 4 * 40 * kRefreshed + 8 * kCycle;  // to a cycle each way
  EXPECT_THAT(far.at(kIn) - near.at(kIn), AllOf(Ge(4 * (130 - 90)), Le(most)));
  const Copies away = copies(64 * kKiB, {"interconnect.latency=100ns"});
  EXPECT_THAT(away.at(kIn) - near.at(kIn), AllOf(Ge(4 * (100 - 60)), Le(most)));
}

TEST(CopiesOfACore, OfWhatTheCacheHoldsTakeTheWorkOfTheCore) {
  const Copies at = copies(64 * kKiB);
  EXPECT_THAT(at.at(kCached) / kCycle, AllOf(Ge(4 * 5), Le(4 * 5 + 5))) << "four times 16 B, and a line's accesses";
  const Copies slower = copies(64 * kKiB, {"cpu.copy_cycles=8"});
  EXPECT_NEAR((slower.at(kCached) - at.at(kCached)) / kCycle, 4 * (8 - 5), 0.2);
}

TEST(CopiesOfACore, WithoutThePrefetcherWaitLongerForCacheableMemoryAndNoLongerForOther) {
  const Overrides off{"cpu.prefetch.enabled=false"};
  const Copies with = copies(4 * kMiB);
  const Copies without = copies(4 * kMiB, off);
  for (const char* cacheable : {kCached, kOut}) EXPECT_GE(without.at(cacheable), 1.5 * with.at(cacheable));
  for (const char* other : {kIn, kPast}) EXPECT_EQ(without.at(other), with.at(other));
}

/// ns an element of a matrix that is written into cacheable, and into other memory.
std::pair<double, double> transposed(std::int64_t bytes, const Overrides& overrides = {}) {
  const Job job{.target = "model:zynq-ultrascale", .overrides = overrides, .sizes = {{bytes}}};
  std::vector<double> found;
  for (const Finding& finding : found_by("transpose", job)) {
    EXPECT_EQ(finding.verified, true);
    found.push_back(4 / finding.samples.front());
  }
  return {found.at(0), found.at(1)};
}

TEST(TransposesOfACore, AreFasterIntoCacheableMemoryMostWhereTheCacheHoldsIt) {
  const auto [near, near_past] = transposed(64 * kKiB);
  EXPECT_THAT(near_past / near, AllOf(Ge(3), Le(5)));
  EXPECT_NEAR(near, (5 + 1) * kCycle, 0.1) << "the element's work and its store";
  const auto [far, far_past] = transposed(4 * kMiB);
  EXPECT_THAT(far_past / far, AllOf(Ge(1.1), Le(1.6)));
}

TEST(TransposesOfACore, IntoNonCacheableMemoryWaitForTheStoresThatMayBeUnderWay) {
  const double four = transposed(64 * kKiB, {"cpu.uncached_stores=4"}).second;
  const double eight = transposed(64 * kKiB).second;
  EXPECT_NEAR(four / eight, 2, 0.05);
}

TEST(TransposesOfACore, AreOfSquaresAlone) {
  const Job job{.target = "model:zynq-ultrascale", .sizes = {{8 * kKiB}, {16 * kKiB}}};
  const std::vector<Finding> found = found_by("transpose", job);
  ASSERT_EQ(found.size(), 2);
  for (const Finding& finding : found) EXPECT_EQ(finding.size.count, 16 * kKiB);
}

struct Maintained {
  std::string operation;
  std::int64_t bytes;
  int buffers = 1;
  int load = 0;
  Overrides overrides{};
};

/// ns a line; no cache has anything of it behind.
double maintained(const Maintained& asked) {
  const Job job{.target = "model:zynq-ultrascale",
                .overrides = asked.overrides,
                .operations = {asked.operation},
                .buffers = {asked.buffers},
                .loads = {asked.load},
                .sizes = {{asked.bytes}}};
  const std::vector<Finding> found = found_by("maintenance", job);
  EXPECT_EQ(found.size(), 1);
  EXPECT_EQ(found.front().verified, true);
  return kLine / found.front().samples.front();
}

TEST(Maintenance, TakesTheCyclesOfItsLinesAndLittleForItsBarrier) {
  for (const std::string operation : {"flush", "invalidate"}) {
    const double line = maintained({operation, kMiB});
    EXPECT_THAT(line / (16 * kCycle), AllOf(Ge(1), Le(1.05))) << "a barrier of an idle memory";
    const double longer = maintained({operation, kMiB, 1, 0, {"cpu.maintenance.line_cycles=24"}});
    EXPECT_NEAR(longer - line, 8 * kCycle, 0.1);
  }
}

TEST(Maintenance, GrowsWithTheBuffersAtEqualBytesAndWithTheLoad) {
  for (const std::string operation : {"flush", "invalidate"}) {
    double before = 0;
    for (const int buffers : {1, 4, 16, 64}) {
      const double now = maintained({operation, 64 * kKiB, buffers});
      EXPECT_GT(now, before) << buffers << " buffers";
      EXPECT_GT(maintained({operation, 64 * kKiB, buffers, 2}), now);
      before = now;
    }
    before = 0;
    for (const int load : {0, 2, 8}) {
      const double now = maintained({operation, 64 * kKiB, 16, load});
      EXPECT_GT(now, before) << "load " << load;
      before = now;
    }
  }
}

TEST(Maintenance, RefusesWhatIsNone) {
  const auto refused = [](const Maintained& asked, const char* message) {
    EXPECT_THAT([&] { maintained(asked); }, ThrowsMessage<Error>(HasSubstr(message)));
  };
  refused({"clean", kMiB}, "--op: unknown operation 'clean': expected flush or invalidate");
  refused({"flush", 64, 2}, "--buffers 2: expected sizes that cut into so many of whole lines of 64 B, got 64 B");
  refused({"flush", kMiB, 0}, "--buffers: expected 1..");
  refused({"flush", kMiB, 1, 9}, "--load: expected 0..8 accesses of each other core, got 9");
}

TEST(CopiesOfACore, RefuseBuffersThatDoNotFit) {
  const auto of_size = [](std::int64_t bytes) { return [bytes] { copies(bytes); }; };
  EXPECT_THAT(of_size(3 * 1024 * kMiB),
              ThrowsMessage<Error>(HasSubstr("--sizes: expected at most the 2147483648 B of a channel of the DRAM "
                                             "behind --offset, for each of 2 buffers")));
  EXPECT_THAT(of_size(100), ThrowsMessage<Error>(HasSubstr("--sizes: expected multiples of a line of 64 B")));
}

}  // namespace
}  // namespace isthmus::probes
