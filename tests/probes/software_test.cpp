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

using Settings = std::vector<std::string>;
/// ns a line, by where it comes from and goes to.
using Copies = std::map<std::string, double>;

Copies copies(std::int64_t bytes, const Settings& settings = {}) {
  const Job job{.target = "model:zynq-ultrascale", .settings = settings, .sizes = {{bytes}}, .bursts = {}};
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
  const Settings off{"cpu.prefetch.enabled=false"};
  const Copies with = copies(4 * kMiB);
  const Copies without = copies(4 * kMiB, off);
  for (const char* cacheable : {kCached, kOut}) EXPECT_GE(without.at(cacheable), 1.5 * with.at(cacheable));
  for (const char* other : {kIn, kPast}) EXPECT_EQ(without.at(other), with.at(other));
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
