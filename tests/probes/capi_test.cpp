// A board whose coherent cache lies behind PCIe: its one published plateau, and each cause of it moved.
#include <gmock/gmock.h>

#include "isthmus/base/error.hpp"
#include "isthmus/probes/probe.hpp"
#include "probes/found.hpp"

namespace isthmus::probes {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr Bytes kLine{128};
constexpr Bytes kOfTheCache{64 << 10U};
constexpr Bytes kLarge{4 << 20U};
constexpr double kWire = 8 * 1.0 * 128 / 130;  // GB/s of eight lanes at 8 GT/s, encoded

struct Asked {
  std::string probe;
  std::vector<std::string> overrides{};
  std::vector<std::string> starts{};
  Bytes size = kLarge;
};

std::vector<Finding> findings(const Asked& asked) {
  const Job job{.target = "model:ibm-capi",
                .overrides = asked.overrides,
                .starts = asked.starts,
                .sizes = {asked.size},
                .samples = 1};
  return found_by(asked.probe, job);
}

double told(const Asked& asked) {
  return findings(asked).front().samples.front();
}

/// In ns, of a whole access.
double latency(const Asked& asked, const std::string& access) {
  for (const Finding& finding : findings(asked))
    if (text_of(finding, "access") == access && text_of(finding, "phase") == "all") return finding.samples.front();
  return 0;
}

const std::vector<std::string> kPinned{"translation.pageable=false"};

std::vector<std::string> pinned(const std::string& assignment) {
  return {kPinned.front(), assignment};
}

TEST(Capi, ReadsALineAsFastAsPublished) {  // choi2019, table 5
  EXPECT_NEAR(latency({.probe = "cache-miss", .overrides = kPinned, .size = kLine}, "read") / 882, 1, 0.01);
}

TEST(Capi, HasThePublishedPlateauPinnedAndPageable) {  // choi2019, 3.2.2
  for (const char* probe : {"shared-read", "shared-write"}) {
    EXPECT_NEAR(told({.probe = probe, .overrides = kPinned}) / 3.3, 1, 0.04) << probe;
    EXPECT_NEAR(told({.probe = probe}) / 3.3, 1, 0.04) << probe;
  }
}

TEST(Capi, FindsEachPageOncePageableAndNonePinned) {
  const auto time = [](const std::vector<std::string>& overrides) {
    return findings({.probe = "shared-read", .overrides = overrides}).front().times.front();
  };
  const double pages = static_cast<double>(kLarge.count) / (64 << 10);
  const double walk = 1e-6;
  EXPECT_NEAR((time({}) - time(kPinned)).seconds() / (pages * walk), 0.9, 0.1);
  EXPECT_NEAR((time({"translation.page=4KiB"}) - time(kPinned)).seconds() / (16 * pages * walk), 0.9, 0.1);
  EXPECT_EQ(time(pinned("translation.page=4KiB")), time(kPinned));
}

TEST(Capi, IsBoundByItsWireWithMoreUnderWay) {
  const std::vector<std::string> many{kPinned.front(), "cache.reads_in_flight=200", "cache.writes_in_flight=400"};
  EXPECT_LT(told({.probe = "shared-read", .overrides = many}), kWire * 128 / (128 + 26));
  EXPECT_GT(told({.probe = "shared-read", .overrides = many}), 0.9 * kWire * 128 / (128 + 26));
  const double written_back = 31.0 / 32;  // what the cache still holds in the end is not
  EXPECT_LT(told({.probe = "shared-write", .overrides = many}) * written_back, kWire * 128 / (128 + 30));
  EXPECT_GT(told({.probe = "shared-write", .overrides = many}), 0.9 * kWire * 128 / (128 + 30));
}

TEST(Capi, OfWhatItsCacheHoldsMovesHalfALineACycle) {
  EXPECT_NEAR(told({.probe = "shared-read", .starts = {"warm"}, .size = kOfTheCache}) / (0.25 * 64), 1, 0.03);
}

TEST(Capi, TakesALinesMultiplesAlone) {
  EXPECT_THAT([] { findings({.probe = "shared-read", .size = {64}}); },
              ThrowsMessage<Error>(HasSubstr("a line of 128 B (cache.line), got 64 B")));
}

TEST(Capi, LoopsBackEveryByte) {
  EXPECT_GT(told({.probe = "loopback", .size = kLine}), 4 * 832);
}

}  // namespace
}  // namespace isthmus::probes
