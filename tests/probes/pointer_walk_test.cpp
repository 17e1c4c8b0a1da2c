// Walks of the CPU's lists and hash tables by a circuit: ns a node, and what choi2019 says would help.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "isthmus/base/error.hpp"
#include "isthmus/base/summary.hpp"
#include "isthmus/probes/probe.hpp"
#include "probes/found.hpp"

namespace isthmus::probes {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

constexpr Bytes kFewLines{4096};
constexpr Bytes kFourCaches{256 << 10U};  // four times the cache

struct WalkAsked {
  std::string start = "flushed";
  std::vector<std::string> overrides{};
  Bytes size = kFewLines;
  std::string board = "model:xeon-fpga-v1";
  std::string channel{};
};

using BySeries = std::map<std::pair<std::string, std::int64_t>, std::vector<double>>;

/// Samples by structure and walks.
BySeries walks(const WalkAsked& asked) {
  Job job{.target = asked.board,
          .overrides = asked.overrides,
          .starts = {asked.start},
          .sizes = {asked.size},
          .samples = 1};
  if (!asked.channel.empty()) job.channels = {asked.channel};
  BySeries found;
  for (const Finding& finding : found_by("pointer-walk", job)) {
    std::map<std::string, Finding::Parameter> told(finding.parameters.begin(), finding.parameters.end());
    found[{std::get<std::string>(told["structure"]), std::get<std::int64_t>(told["walks"])}] = finding.samples;
  }
  return found;
}

std::vector<double> list(const WalkAsked& asked) {
  return walks(asked).at({"list", 1});
}

double middle(const std::vector<double>& samples) {
  return summarise(samples).median;
}

TEST(PointerWalk, OfAListTakesAMissOrAHitEach) {  // choi2019, table 3; gemieux2018, table 3, cycles of 2.5 ns
  EXPECT_THAT(list({}), AllOf(SizeIs(64), Each(355)));
  EXPECT_THAT(list({.start = "cold"}), Each(355 - 60 + 20));
  EXPECT_THAT(list({.start = "warm"}), Each(70));
  const std::string second = "model:xeon-fpga-v2";
  EXPECT_THAT(list({.start = "cold", .board = second}), Each(119 * 2.5));
  EXPECT_THAT(list({.start = "warm", .board = second}), Each(25 * 2.5));
  EXPECT_THAT(list({.board = second}), Each(119 * 2.5 + 60 - 20));
}

TEST(PointerWalk, OverPcieIsNeverAHit) {
  const auto over = [](const char* start) {
    return middle(list({.start = start, .board = "model:xeon-fpga-v2", .channel = "vh0"}));
  };
  EXPECT_GT(over("flushed"), 600);
  EXPECT_GT(over("warm"), 500);
}

TEST(PointerWalk, OfATableTakesAMissOrAHitEach) {
  const auto samples = walks({}).at({"hash-table", 1});
  EXPECT_THAT(samples, Each(AnyOf(355, 70)));
  EXPECT_GT(samples.size(), 32U) << "a look-up for each key, and chains";
  EXPECT_GT(std::ranges::count(samples, 70), 0) << "what is looked up twice";
  EXPECT_THAT(walks({.start = "warm"}).at({"hash-table", 1}), Each(70));
}

TEST(PointerWalk, ManyAtOnceShareThePort) {
  const std::vector<double> warm = walks({.start = "warm", .size = {1 << 15U}}).at({"list", 64});
  EXPECT_THAT(warm, SizeIs(512));
  EXPECT_NEAR(middle(warm), 64 * 5, 5) << "a line a cycle";
}

// choi2019, insight 5: little parallel access.
TEST(PointerWalk, ManyAtOnceAreTwiceAsFastOverTwoPorts) {
  const auto at = [](const char* ports) { return walks({.start = "warm", .overrides = {ports}, .size = {1 << 15U}}); };
  const BySeries one = at("cache.ports=1");
  const BySeries two = at("cache.ports=2");
  EXPECT_NEAR(middle(one.at({"list", 64})) / middle(two.at({"list", 64})), 2, 0.1);
  EXPECT_NEAR(middle(one.at({"hash-table", 64})) / middle(two.at({"hash-table", 64})), 2, 0.2);
  EXPECT_EQ(one.at({"list", 1}), two.at({"list", 1}));
}

// choi2019, insights 5 and 7: long latency, little capacity.
TEST(PointerWalk, HitsMoreInALargerCache) {
  const auto hits = [](const char* size) {
    const auto samples = list({.start = "warm", .overrides = {size}, .size = kFourCaches});
    return static_cast<double>(std::ranges::count(samples, 70)) / static_cast<double>(samples.size());
  };
  // What lies in a set stays until another of its lines is walked: one of four, and it must come first of the four.
  EXPECT_NEAR(hits("cache.size=64KiB"), 1. / 16, 0.01);
  EXPECT_NEAR(hits("cache.size=128KiB"), 1. / 4, 0.02);
  EXPECT_EQ(hits("cache.size=1MiB"), 1);
}

TEST(PointerWalk, HitsSoonerInAFasterCache) {
  const auto at = [](const char* start, const char* clock) {
    return middle(list({.start = start, .overrides = {clock}}));
  };
  EXPECT_LT(at("warm", "cache.clock=400MHz"), 0.8 * 70);
  EXPECT_GT(at("warm", "cache.clock=100MHz"), 1.5 * 70);
  const double saved = at("warm", "cache.clock=200MHz") - at("warm", "cache.clock=400MHz");
  EXPECT_NEAR(355 - at("flushed", "cache.clock=400MHz"), saved, 5) << "the way to the home is not the cache's";
}

// choi2019, insight 6.
TEST(PointerWalk, FindsLessRoomInSmallPagesAndTakesNoLonger) {
  const std::string small = "translation.page=4KiB";
  EXPECT_EQ(list({.overrides = {small}, .size = kFourCaches}), list({.size = kFourCaches}));
  const Bytes large{8 << 20U};
  EXPECT_THAT([&] { list({.overrides = {small}, .size = large}); },
              ThrowsMessage<Error>(HasSubstr("1024 pages of 4096 B (translation.entries, translation.page)")));
  EXPECT_THAT(list({.overrides = {small, "translation.entries=4096"}, .size = large}), Each(355));
}

TEST(PointerWalk, RefusesWhatCannotBe) {
  EXPECT_THAT([] { list({.size = {100}}); }, ThrowsMessage<Error>(HasSubstr("a line of 64 B (cache.line), got 100 B")));
  EXPECT_THAT([] { list({.size = {std::int64_t{4} << 30U}}); },
              ThrowsMessage<Error>(HasSubstr("shared memory: expected at most 2147483072 B")));
  EXPECT_THAT([] { list({.overrides = {"host.memory.capacity=1GiB"}, .size = {std::int64_t{1} << 30U}}); },
              ThrowsMessage<Error>(HasSubstr("what is left of 1073741824 B of the host (host.memory.capacity)")));
  EXPECT_THAT([] { list({.start = "warn"}); }, ThrowsMessage<Error>(HasSubstr("--start: unknown start 'warn'")));
  EXPECT_THAT([] { list({.board = "model:aws-f1"}); },
              ThrowsMessage<Error>(HasSubstr("expected a board with coherent-link")));
}

}  // namespace
}  // namespace isthmus::probes
