// The order in which actors run that may run at the same time matters to no probe and no flow.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "apps/experiments.hpp"

namespace isthmus::apps {
namespace {

/// Small enough that what is under way runs out, in each of the ways that it can.
const std::vector<std::string> kTight{"link.pcie.tags=2",
                                      "link.pcie.posted_header_credits=2",
                                      "link.pcie.nonposted_header_credits=1",
                                      "stream.input_buffers=1",
                                      "stream.output_buffers=1",
                                      "stream.requests_in_flight=1",
                                      "dma.descriptors_in_flight=2",
                                      "device.axi.outstanding=2",
                                      "device.dram.transfer_rate=400MT/s"};

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& [name, experiment] : experiments()) all.push_back(name);
  return all;
}

class AnySchedule : public testing::TestWithParam<const char*> {};

/// RapidCheck prints its seed, and what it drew where that fails.
TEST_P(AnySchedule, GivesTheSameTimesStagesPartsAndBytes) {
  EXPECT_TRUE(rc::check([] {
    const auto experiment = *rc::gen::elementOf(names()).as("experiment");
    const auto seed =
        *rc::gen::suchThat(rc::gen::arbitrary<std::uint64_t>(), [](auto any) { return any != 0; }).as("seed");
    const auto chosen = *rc::gen::container<std::vector<bool>>(kTight.size(), rc::gen::arbitrary<bool>()).as("tight");
    std::vector<std::string> overrides;
    for (std::size_t at = 0; at < chosen.size(); ++at)
      if (chosen[at]) overrides.push_back(kTight[at]);
    const Bench bench{.target = GetParam(), .overrides = overrides};
    Bench shuffled = bench;
    shuffled.schedule_seed = seed;
    RC_ASSERT(outcome(experiment, shuffled) == outcome(experiment, bench));
  }));
}

INSTANTIATE_TEST_SUITE_P(Boards, AnySchedule, testing::Values("model:aws-f1", "model:alpha-data-7v3"));

}  // namespace
}  // namespace isthmus::apps
