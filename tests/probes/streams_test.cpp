// Streams through pools of pinned buffers, as probes: what numbers of the link and of the library say of their rates.
#include <gtest/gtest.h>

#include "isthmus/offload/open.hpp"
#include "probes/found.hpp"

namespace isthmus::probes {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20U;

class Streams : public testing::TestWithParam<const char*> {
 protected:
  static std::vector<Finding> found(const char* probe, std::vector<Bytes> sizes,
                                    const std::vector<std::string>& overrides = {}) {
    return found_by(probe, {.target = GetParam(), .overrides = overrides, .sizes = std::move(sizes)});
  }
  static double rate(const char* probe, std::int64_t size, const std::vector<std::string>& overrides = {}) {
    return found(probe, {{size}}, overrides).front().samples.front();
  }
};

TEST_P(Streams, BringTheBytesAndNeverMoreThanTheLinkCarries) {
  const double most = offload::open_device(GetParam(), {})->properties().link->payload.gb_per_second();
  for (const char* probe : {"stream-in", "stream-out", "stream-both"})
    for (const Finding& finding : found(probe, {{64}, {192 * 64}, {5 * kMiB}})) {
      EXPECT_EQ(finding.verified, true) << probe << " " << finding.size.count;
      EXPECT_LE(finding.samples.front(), (probe == std::string_view("stream-both") ? 2 : 1) * most);
    }
}

TEST_P(Streams, OfLargeMessagesAreNearlyWhatTheLinkCarries) {
  const double most = offload::open_device(GetParam(), {})->properties().link->payload.gb_per_second();
  EXPECT_GT(rate("stream-in", 4 * kMiB), 0.9 * most);
  EXPECT_GT(rate("stream-out", 4 * kMiB), 0.9 * most);
}

TEST_P(Streams, OfSmallMessagesWaitForThePorter) {
  const auto every = [](int us) {
    return rate("stream-in", 64, {"stream.porter_period=" + std::to_string(us) + "us"});
  };
  EXPECT_NEAR(every(100) / every(200), 2, 0.1) << "each round hands over what is in a pool";
  EXPECT_LE(every(100), 8 * 64e-9 / 100e-6) << "which has eight buffers";
}

TEST_P(Streams, LeaveOutSizesThatAreNoWords) {
  EXPECT_EQ(found("stream-in", {{63}, {64}, {65}}).size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Boards, Streams, testing::Values("model:aws-f1", "model:alpha-data-7v3"));

}  // namespace
}  // namespace isthmus::probes
