// The image filter as a stream on the modelled boards.
#include "flows/stream/stream_flow.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "apps/filter_over.hpp"
#include "apps/noise.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::apps {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr const char* kF1 = "model:aws-f1";
constexpr const char* kAlphaData = "model:alpha-data-7v3";

using program::BoardRun;
using program::FlowTimes;

BoardRun run(const Noise& noise, int images, const char* target = kF1, std::vector<std::string> overrides = {},
             const FilterSpec& spec = default_filter()) {
  const auto application = filter_over(noise.frames(images), spec);
  return program::run_stream(platform::load(platform::file_of(target), overrides),
                             {.application = application, .flow = "stream", .count = images});
}

/// A link of any payload, whose reads and writes begin anywhere in a page.
std::vector<std::string> any_link() {
  const int payload = 1 << *rc::gen::inRange(7, 13);
  return {fmt::format("link.pcie.max_payload={}B", payload),
          fmt::format("link.pcie.max_read_request={}B", 1 << *rc::gen::inRange(7, 13)),
          fmt::format("link.pcie.read_completion_boundary={}B", 1 << *rc::gen::inRange(6, 8)),
          fmt::format("link.pcie.posted_data_credits={}", *rc::gen::inRange(payload / 16, 2048)),
          fmt::format("stream.request_size={}B", 1 << *rc::gen::inRange(6, 14))};
}

double rate(const BoardRun& run, int images) {
  return images / run.run.times.elapsed.seconds();
}

TEST(StreamFlow, GivesTheReferencesBytesOverLinksOfAnyPayload) {
  EXPECT_TRUE(rc::check([] {
    const Noise noise({.width = 16 * *rc::gen::inRange(1, 40), .height = *rc::gen::inRange(1, 20)});
    std::vector<std::string> overrides = any_link();
    overrides.emplace_back("stream.buffer_size=1MiB");
    RC_ASSERT(!run(noise, 2, kF1, overrides).run.difference);
  }));
}

TEST(StreamFlow, GivesTheReferencesBytesForImagesOfManySizes) {
  FilterSpec spec = default_filter();
  spec.shift = 5;
  for (const ImageSize size : {ImageSize{16, 1}, {16, 40}, {160, 1}, {48, 3}, {512, 129}, {4096, 2}}) {
    const Noise noise(size);
    for (const char* target : {kF1, kAlphaData})
      EXPECT_FALSE(run(noise, 5, target, {}, spec).run.difference)
          << size.width << " x " << size.height << " on " << target;
  }
}

TEST(StreamFlow, TheFirstImagesAreToldFromAcquireToReceive) {
  const FlowTimes times = run(Noise({320, 90}), 5).run.times;
  ASSERT_EQ(times.first.size(), 5U);
  Time acquired;
  for (const auto& steps : times.first) {
    ASSERT_EQ(steps.size(), 2U);
    EXPECT_GE(steps[0].begin, acquired);
    EXPECT_LT(steps[0].begin, steps[0].end);
    EXPECT_EQ(steps[0].end, steps[1].begin);
    EXPECT_LT(steps[1].begin, steps[1].end);
    acquired = steps[0].begin;
  }
  EXPECT_EQ(times.first.back()[1].end, times.elapsed);
}

TEST(StreamFlow, AFrameMayTakeManyBuffersAndThePoolsAsFewAsTwo) {
  const Noise noise({.width = 320, .height = 64});
  const auto result = run(
      noise, 6, kF1,
      {"stream.buffer_size=16KiB", "stream.input_buffers=2", "stream.output_buffers=2", "stream.requests_in_flight=1"});
  EXPECT_FALSE(result.run.difference);
}

TEST(StreamFlow, TwiceTheImagesTakeTwiceTheTime) {
  const Noise noise({.width = 640, .height = 360});
  for (const char* target : {kF1, kAlphaData}) {
    const double once = run(noise, 20, target).run.times.elapsed.seconds();
    const double twice = run(noise, 40, target).run.times.elapsed.seconds();
    EXPECT_NEAR(twice / once, 2, 0.04) << target;
  }
}

TEST(StreamFlow, ReachesTheRateThatStAccelReportsOnF1) {
  const Noise noise({.width = 1920, .height = 1080});
  EXPECT_NEAR(rate(run(noise, 8), 8), 1370, 0.15 * 1370) << "stacc table IV";
}

TEST(StreamFlow, HalfTheLanesHalveTheRateThatTheLinkBounds) {
  const Noise noise({.width = 960, .height = 540});
  const double whole = rate(run(noise, 20), 20);
  const double half = rate(run(noise, 20, kF1, {"link.pcie.lanes=8"}), 20);
  EXPECT_NEAR(half / whole, 0.5, 0.01);
}

TEST(StreamFlow, AFasterKernelClockChangesNothingWhereTheLinkIsTheLimit) {
  const Noise noise({.width = 960, .height = 540});
  const double before = rate(run(noise, 20), 20);
  const double after = rate(run(noise, 20, kF1, {"kernel.clock=400"}), 20);
  EXPECT_NEAR(after / before, 1, 0.002);
}

TEST(StreamFlow, WithoutItsBottleneckTheNextNamedPartIsTheLimit) {
  const Noise noise({.width = 1920, .height = 1080});
  const auto before = run(noise, 4);
  const Bottleneck link = platform::bottleneck(before.parts, before.run.times.lasted);
  EXPECT_EQ(link.part, "PCIe device to host");
  EXPECT_GT(link.busy_share, 0.95);
  const auto after = run(noise, 4, kF1, {"link.pcie.generation=4"});
  const Bottleneck next = platform::bottleneck(after.parts, after.run.times.lasted);
  EXPECT_EQ(next.part, link.next);
  EXPECT_GT(next.busy_share, 0.95);
  // What the first verdict promised is what the second run gives.
  EXPECT_NEAR(rate(after, 4) / rate(before, 4), link.would_need, 0.02);
}

TEST(StreamFlow, SetUpIsApartAndHoldsTheAllocationOfThePools) {
  const Noise noise({.width = 320, .height = 64});
  // 16 buffers of 4 MiB at 3.93 GB/s.
  EXPECT_NEAR(run(noise, 1, kAlphaData).run.setup.seconds(), 16 * 4194304 / 3.93e9, 0.3e-3);
  EXPECT_LT(run(noise, 1, kF1).run.setup.seconds(), 1e-3) << "no rate of allocation is known for F1";
}

TEST(StreamFlow, RefusesFramesThatAreNoWholeWords) {
  EXPECT_THAT([] { run(Noise({.width = 100, .height = 10}), 1); },
              ThrowsMessage<Error>(HasSubstr("multiple of 64 bytes, got 4000")));
  EXPECT_THAT([] { run(Noise({.width = 8, .height = 10}), 1); },
              ThrowsMessage<Error>(HasSubstr("8 x 10 pixels: expected a width that is a multiple of 16")));
}

}  // namespace
}  // namespace isthmus::apps
