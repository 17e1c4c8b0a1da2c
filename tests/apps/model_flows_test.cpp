// The flows through device memory on the modelled boards.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <array>

#include "apps/filter_over.hpp"
#include "apps/image_files.hpp"
#include "apps/random_filter.hpp"
#include "flows/ran.hpp"
#include "isthmus/base/error.hpp"
#include "platform/usual_keys.hpp"

namespace isthmus::apps {
namespace {

using program::FlowTimes;
using program::kMessagesTold;
using program::Ran;
using program::Step;
using Json = nlohmann::ordered_json;
using Overrides = std::vector<std::string>;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr const char* kF1 = "model:aws-f1";
constexpr const char* kAlphaData = "model:alpha-data-7v3";
constexpr ImageSize kFullHd{.width = 1920, .height = 1080};

Ran run(const char* board, const std::string& flow, ImageSize size, int images, const Overrides& overrides = {},
        const FilterSpec& spec = default_filter()) {
  const TemporaryFolder folder;
  write_png(folder / "chart.png", chart({size.width + 5, size.height + 3}));
  const FrameSource frames({folder / "chart.png"}, size, images, 1);
  const auto application = filter_over(frames, spec);
  return program::ran(board, overrides, {.application = application, .flow = flow, .count = images});
}

struct Case {
  const char* board;
  const char* flow;
};

class FlowsOnModels : public testing::TestWithParam<Case> {
 protected:
  Ran run(ImageSize size, int images, const Overrides& overrides = {},
          const FilterSpec& spec = default_filter()) const {
    return apps::run(GetParam().board, GetParam().flow, size, images, overrides, spec);
  }
};

TEST_P(FlowsOnModels, ImagesOfManySizesAndAnyFilterEqualTheReference) {
  EXPECT_TRUE(rc::check([this] {
    const ImageSize size{16 * *rc::gen::inRange(1, 12), *rc::gen::inRange(1, 30)};
    const FilterSpec spec = *random_filter();
    RC_ASSERT(!run(size, 3, {}, spec).run.difference);
  }));
}

TEST_P(FlowsOnModels, TwiceTheImagesTakeTwiceTheTime) {
  const ImageSize size{320, 180};
  EXPECT_NEAR(run(size, 200).seconds() / run(size, 100).seconds(), 2, 0.04);
}

TEST_P(FlowsOnModels, HalfTheLanesNeverSpeedAnythingUp) {
  const std::string half = std::string(GetParam().board) == kF1 ? "link.pcie.lanes=8" : "link.pcie.lanes=4";
  for (const ImageSize size : {ImageSize{16, 2}, {320, 180}})
    EXPECT_GE(run(size, 4, {half}).seconds(), run(size, 4).seconds()) << size.width;
}

TEST_P(FlowsOnModels, TheSameRunGivesTheSameRecordToTheLastByte) {
  const ImageSize size{160, 90};
  EXPECT_EQ(run(size, 5).row.dump(), run(size, 5).row.dump());
}

TEST_P(FlowsOnModels, TheFirstImagesAreToldStepAfterStepWithinTheRun) {
  const FlowTimes times = run({320, 180}, kMessagesTold + 2).run.times;
  ASSERT_EQ(times.first.size(), static_cast<std::size_t>(kMessagesTold));
  Time before;
  for (const auto& steps : times.first) {
    ASSERT_EQ(steps.size(), 3U);
    EXPECT_GE(steps.front().begin, before) << "images go in their order";
    before = steps.front().begin;
    Time ended;
    for (const Step& step : steps) {
      EXPECT_GE(step.begin, ended) << step.name;
      EXPECT_GT(step.end, step.begin) << step.name;
      ended = step.end;
    }
    EXPECT_LE(ended, times.elapsed);
  }
}

TEST_P(FlowsOnModels, WhereAllImagesAreToldTheirStepsAddUpToTheStages) {
  const FlowTimes times = run({320, 180}, 3).run.times;
  for (std::size_t stage = 0; stage < 3; ++stage) {
    Time sum;
    for (const auto& steps : times.first) sum += steps.at(stage).end - steps.at(stage).begin;
    EXPECT_EQ(sum, times.stages[stage].time) << times.stages[stage].name;
  }
}

TEST_P(FlowsOnModels, BusyStarvedAndBlockedTimeOfEachPartIsItsLifetime) {
  const Json parts = run({320, 180}, 4).row.at("parts");
  EXPECT_GT(parts.size(), 8U);
  for (const auto& part : parts)
    EXPECT_NEAR(
        part.at("busy_s").get<double>() + part.at("starved_s").get<double>() + part.at("blocked_s").get<double>(),
        part.at("lifetime_s").get<double>(), 1e-12)
        << part.at("name");
}

TEST_P(FlowsOnModels, EachPartNamesKeysThatThereAreAndAWindowObeysLittlesLaw) {
  const Json parts = run({320, 180}, 4).row.at("parts");
  int windows = 0;
  for (const auto& part : parts) {
    EXPECT_FALSE(part.at("keys").empty()) << part;
    for (const std::string key : part.at("keys"))
      EXPECT_THAT(platform::testing::usual_keys(), testing::Contains(key)) << part;
    if (part.at("window").is_null()) continue;
    ++windows;
    const Json& window = part.at("window");
    const double lifetime = part.at("lifetime_s").get<double>();
    const double under_way = window.at("taken").get<double>() * window.at("round_trip_s").get<double>() / lifetime;
    EXPECT_LE(under_way, window.at("size").get<double>() * (1 + 1e-9)) << part;
    EXPECT_LE(part.at("busy_s").get<double>(), lifetime * (1 + 1e-12)) << part;
  }
  EXPECT_EQ(windows, 9);
}

INSTANTIATE_TEST_SUITE_P(Boards, FlowsOnModels,
                         testing::Values(Case{kF1, "offload"}, Case{kF1, "overlap"}, Case{kAlphaData, "offload"},
                                         Case{kAlphaData, "overlap"}));

TEST(OverlapOnModels, AFasterKernelClockChangesNothingWhereCopiesAreTheLimit) {
  const ImageSize size{640, 360};
  const double base = run(kF1, "overlap", size, 20).seconds();
  EXPECT_NEAR(run(kF1, "overlap", size, 20, {"kernel.clock=500MHz"}).seconds() / base, 1, 0.001);
}

TEST(OffloadOnModels, AWidthThatTheKernelDoesNotTakeIsRefused) {
  EXPECT_THAT([] { run(kF1, "offload", {24, 8}, 1); }, ThrowsMessage<Error>(HasSubstr("multiple of 16")));
}

TEST(BottleneckOnModels, WhereStepsWaitForEachOtherItIsTheLongestOfThemNotTheBusiestPart) {
  const Ran overlap = run(kAlphaData, "overlap", kFullHd, 4);
  EXPECT_EQ(overlap.row.at("bottleneck").at("part"), "pinned allocation");
  const auto busy = [&](const char* name) { return overlap.part(name).at("busy_s").get<double>(); };
  EXPECT_GT(busy("device DRAM"), busy("pinned allocation")) << "yet copies of both directions wait for allocations";
}

/// What removes a bottleneck makes the part that was named next the limit.
void expect_next_becomes_limit(const char* board, const char* flow, const Overrides& removal) {
  const Json before = run(board, flow, kFullHd, 2).row.at("bottleneck");
  const Json after = run(board, flow, kFullHd, 2, removal).row.at("bottleneck");
  EXPECT_EQ(after.at("part"), before.at("next")) << before << " with " << removal.front();
  EXPECT_GT(before.at("would_need").get<double>(), 1);
}

TEST(BottleneckOnModels, RemovingItMakesTheNextNamedPartTheLimit) {
  expect_next_becomes_limit(kF1, "offload", {"host.copy.enabled=false"});
  expect_next_becomes_limit(kF1, "overlap", {"host.copy.enabled=false"});
  expect_next_becomes_limit(kAlphaData, "offload", {"host.alloc.enabled=false"});
  expect_next_becomes_limit(kAlphaData, "overlap", {"host.alloc.enabled=false"});
}

/// The time of 200 images, from what a few take and each further one adds.
struct TwoHundred {
  double elapsed;
  std::array<double, 3> stages;
};
TwoHundred two_hundred(const char* flow) {
  constexpr int kFew = 3;
  const FlowTimes few = run(kF1, flow, kFullHd, kFew).run.times;
  const FlowTimes twice = run(kF1, flow, kFullHd, 2 * kFew).run.times;
  const auto extend = [](Time a, Time b) { return b.seconds() + (200.0 / kFew - 2) * (b - a).seconds(); };
  TwoHundred result{.elapsed = extend(few.elapsed, twice.elapsed), .stages = {}};
  for (std::size_t i = 0; i < 3; ++i) result.stages.at(i) = extend(few.stages[i].time, twice.stages[i].time);
  return result;
}

// stacc tables IV and V.
TEST(AmazonF1, TwoHundredImagesTakeWhatThePaperMeasured) {
  const TwoHundred offload = two_hundred("offload");
  EXPECT_NEAR(200 / offload.elapsed, 128, 0.15 * 128);
  EXPECT_NEAR(offload.stages[0], 0.68, 0.15 * 0.68);
  EXPECT_NEAR(offload.stages[1], 0.232, 0.15 * 0.232);
  EXPECT_NEAR(offload.stages[2], 0.65, 0.15 * 0.65);
  EXPECT_NEAR(200 / two_hundred("overlap").elapsed, 294, 0.15 * 294);
}

}  // namespace
}  // namespace isthmus::apps
