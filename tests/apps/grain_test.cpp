// What is promised of coarse streams and overlapped copies: the times of fine ones within a percent, and their bytes
// exactly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <numeric>

#include "apps/filter_over.hpp"
#include "apps/noise.hpp"
#include "flows/offload/at_once.hpp"
#include "flows/offload/between_copies.hpp"
#include "flows/ran.hpp"
#include "flows/stream/stream_flow.hpp"
#include "flows/stream/stream_steady.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/platform/board.hpp"

namespace isthmus::apps {
namespace {

using program::BoardRun;
using program::Grain;
using program::is_steady;
using program::Lengths;
using program::open_target;
using program::run_stream;

constexpr const char* kF1 = "model:aws-f1";
constexpr ImageSize kFullHd{.width = 1920, .height = 1080};

struct Case {
  const Noise& noise;
  int images;
  std::vector<std::string> overrides{};
  const char* target = kF1;
  std::uint64_t schedule_seed = 0;
  StateObserver* states = nullptr;
};

BoardRun run(const Case& of, Grain grain) {
  const auto application = filter_over(of.noise.frames(of.images));
  return run_stream(platform::load(platform::file_of(of.target), of.overrides), {.application = application,
                                                                                 .flow = "stream",
                                                                                 .count = of.images,
                                                                                 .states = of.states,
                                                                                 .schedule_seed = of.schedule_seed,
                                                                                 .grain = grain});
}

double ratio(Time coarse, Time fine) {
  return coarse.seconds() / fine.seconds();
}

int longest_fine(const Case& of) {
  const Lengths lengths = program::steady_lengths(platform::load(platform::file_of(of.target), of.overrides),
                                                  filter_over(of.noise.frames(1)));
  return lengths.shorter + lengths.longer;
}

void expect_alike(const BoardRun& coarse, const BoardRun& fine) {
  EXPECT_NEAR(ratio(coarse.run.times.elapsed, fine.run.times.elapsed), 1, 0.01);
  EXPECT_NEAR(ratio(coarse.run.times.lasted, fine.run.times.lasted), 1, 0.01);
  ASSERT_EQ(coarse.run.times.stages.size(), fine.run.times.stages.size());
  for (std::size_t i = 0; i < fine.run.times.stages.size(); ++i)
    EXPECT_NEAR(ratio(coarse.run.times.stages[i].time, fine.run.times.stages[i].time), 1, 0.01)
        << fine.run.times.stages[i].name;
}

TEST(CoarseStream, TakesTheTimeOfAFineOneInFullHd) {
  const Noise noise(kFullHd);
  const Case of{.noise = noise, .images = 40};
  const BoardRun coarse = run(of, Grain::coarse);
  const BoardRun fine = run(of, Grain::fine);
  EXPECT_EQ(coarse.grain, Grain::coarse);
  EXPECT_EQ(fine.grain, Grain::fine);
  EXPECT_FALSE(coarse.run.difference);
  expect_alike(coarse, fine);
  EXPECT_EQ(coarse.run.setup, fine.run.setup);
  ASSERT_EQ(coarse.run.times.first.size(), fine.run.times.first.size());
  for (std::size_t i = 0; i < fine.run.times.first.size(); ++i)
    EXPECT_EQ(coarse.run.times.first[i].back().end, fine.run.times.first[i].back().end) << i;
}

std::vector<std::string> random_overrides() {
  const auto one_of = [](const std::string& key, std::vector<std::string> values) {
    return key + "=" + *rc::gen::elementOf(std::move(values));
  };
  return {one_of("link.pcie.lanes", {"1", "4", "8", "16"}),
          one_of("link.pcie.generation", {"1", "3", "4"}),
          one_of("kernel.clock", {"50", "133", "250", "400"}),
          one_of("stream.porter_period", {"1", "2", "5", "10"}),
          one_of("stream.input_buffers", {"1", "2", "3", "8", "20"}),
          one_of("stream.output_buffers", {"1", "2", "8", "20"}),
          one_of("stream.buffer_size", {"16KiB", "80KiB", "4MiB"}),
          one_of("stream.requests_in_flight", {"1", "4", "16"}),
          one_of("stream.library_call", {"20", "100", "500"}),
          one_of("host.memory.transfer_rate", {"800", "2133"}),
          one_of("host.memory.channels", {"1", "4"}),
          one_of("host.memory.interleave", {"256B", "4KiB"}),
          one_of("host.llc.enabled", {"true", "false"})};
}

ImageSize random_size() {
  return {.width = 16 * *rc::gen::inRange(4, 80).as("words of a row"), .height = *rc::gen::inRange(16, 80).as("rows")};
}

/// Both are right and take the same time within a percent, their stages within a share of their own.
void assert_close(const BoardRun& coarse, const BoardRun& fine, double of_stages) {
  RC_ASSERT(!coarse.run.difference && !fine.run.difference);
  RC_ASSERT(std::abs(ratio(coarse.run.times.elapsed, fine.run.times.elapsed) - 1) < 0.01);
  for (std::size_t i = 0; i < fine.run.times.stages.size(); ++i)
    RC_ASSERT(std::abs(ratio(coarse.run.times.stages[i].time, fine.run.times.stages[i].time) - 1) < of_stages);
}

/// RapidCheck prints its seed, and what it drew where that fails.
TEST(CoarseStream, TakesTheTimeOfAFineOneOnAnyBoard) {
  EXPECT_TRUE(rc::check([] {
    const Noise noise(random_size());
    Case of{.noise = noise, .images = 0, .overrides = random_overrides()};
    of.target = *rc::gen::element(kF1, "model:alpha-data-7v3").as("target");
    RC_LOG() << testing::PrintToString(of.overrides);
    of.images = longest_fine(of) + *rc::gen::inRange(1, 100).as("more images");
    const BoardRun coarse = run(of, Grain::coarse);
    const BoardRun fine = run(of, Grain::fine);
    RC_CLASSIFY(coarse.grain == Grain::coarse);
    assert_close(coarse, fine, 0.01);
    for (const auto& part : coarse.parts) {
      RC_ASSERT(part.busy + part.starved + part.blocked == part.lifetime);
      if (!part.window) continue;
      const double under_way = static_cast<double>(part.window->taken) * part.window->round_trip.seconds();
      RC_ASSERT(under_way <= static_cast<double>(part.window->size) * coarse.run.times.elapsed.seconds() * (1 + 1e-7));
    }
  }));
}

BoardRun run_overlap(const Case& of, Grain grain) {
  const auto application = filter_over(of.noise.frames(of.images));
  return program::run_at_once(platform::load(platform::file_of(of.target), of.overrides), "", program::overlap_flow(),
                              {.application = application, .flow = "overlap", .count = of.images, .grain = grain});
}

/// Some of these, each with one of its values.
std::vector<std::string> overrides_of_copies() {
  static const std::vector<std::vector<std::string>> kChoices = {
      {"link.pcie.lanes=1", "link.pcie.lanes=8"},
      {"link.pcie.generation=1", "link.pcie.generation=4"},
      {"kernel.clock=50MHz", "kernel.clock=200MHz", "kernel.clock=400MHz"},
      {"host.copy.enabled=false", "host.copy.rate=2GB/s", "host.copy.rate=20GB/s"},
      {"host.call.transfer=20us"},
      {"host.memory.transfer_rate=800"},
      {"device.dram.kernel_channels=1"},
      {"device.dram.transfer_rate=1600"},
  };
  std::vector<std::string> overrides;
  for (const auto& choice : kChoices)
    if (*rc::gen::arbitrary<bool>()) overrides.push_back(*rc::gen::elementOf(choice));
  return overrides;
}

/// Of 1500 random runs none was off by more than 1 %, none of a stage by more than 2 %.
TEST(CoarseOverlap, TakesTheTimeOfAFineOneOnAnyBoard) {
  EXPECT_TRUE(rc::check([] {
    const Noise noise(random_size());
    const Case of{
        .noise = noise, .images = 57 + *rc::gen::inRange(0, 60).as("more images"), .overrides = overrides_of_copies()};
    RC_LOG() << testing::PrintToString(of.overrides);
    const BoardRun coarse = run_overlap(of, Grain::coarse);
    const BoardRun fine = run_overlap(of, Grain::fine);
    RC_CLASSIFY(coarse.grain == Grain::coarse);
    assert_close(coarse, fine, 0.02);
  }));
}

TEST(CoarseOverlap, IsFineWhereMessagesFallBehindUntilABufferIsFull) {
  const Noise noise({.width = 608, .height = 57});
  const Case of{.noise = noise,
                .images = 300,
                .overrides = {"link.pcie.lanes=1", "link.pcie.generation=4", "kernel.clock=400MHz"}};
  EXPECT_EQ(run_overlap(of, Grain::coarse).grain, Grain::fine) << "copies back take longer than copies to the device";
}

TEST(CoarseOverlap, NamesTheLimitThatFineNames) {
  const Noise noise({.width = 640, .height = 90});
  for (const char* setting : {"link.pcie.lanes=1", "host.copy.rate=1GB/s", "kernel.clock=10MHz"}) {
    const Case of{.noise = noise, .images = 80, .overrides = {setting}};
    const auto limit = [&](Grain grain) {
      const BoardRun one = run_overlap(of, grain);
      EXPECT_EQ(one.grain, grain) << setting;
      return platform::bottleneck(one.parts, one.run.times.lasted, one.path).part;
    };
    EXPECT_EQ(limit(Grain::coarse), limit(Grain::fine)) << setting;
  }
}

/// Small frames, and a porter that looks often: few of them are a long stream.
const std::vector<std::string> kQuick{"stream.porter_period=1us", "link.pcie.round_trip=500ns"};

TEST(CoarseStream, IsFineWhereItIsNotLongerThanWhatItWouldBeToldFrom) {
  const Noise noise({.width = 640, .height = 90});
  Case of{.noise = noise, .images = 0, .overrides = kQuick};
  of.images = longest_fine(of);
  const BoardRun fine = run(of, Grain::coarse);
  EXPECT_EQ(fine.grain, Grain::fine);
  EXPECT_EQ(fine.run.times.elapsed, run(of, Grain::fine).run.times.elapsed);
  ++of.images;
  EXPECT_EQ(run(of, Grain::coarse).grain, Grain::coarse);
}

class Deaf final : public StateObserver {
 public:
  void interval(const std::string&, State, Time, Time) override {}
};

TEST(CoarseStream, IsFineWhereItIsObserved) {
  const Noise noise({.width = 640, .height = 90});
  Case of{.noise = noise, .images = 0, .overrides = kQuick};
  of.images = longest_fine(of) + 1;
  Deaf deaf;
  of.states = &deaf;
  EXPECT_EQ(run(of, Grain::coarse).grain, Grain::fine);
}

TEST(CoarseStream, TakesTheSameInAnyOrderOfItsActors) {
  const Noise noise({.width = 640, .height = 90});
  Case of{.noise = noise, .images = 0, .overrides = kQuick};
  of.images = longest_fine(of) + 1;
  const BoardRun ordered = run(of, Grain::coarse);
  of.schedule_seed = 7;
  const BoardRun shuffled = run(of, Grain::coarse);
  EXPECT_EQ(shuffled.grain, Grain::coarse);
  EXPECT_EQ(shuffled.run.times.elapsed, ordered.run.times.elapsed);
}

/// Runs a flow of a target whose reference becomes wrong behind the first `right` images.
program::Run run_with_reference_wrong_behind(const std::string& flow, int right, int images) {
  const Noise noise({.width = 640, .height = 90});
  const FrameSource frames = noise.frames(images);
  FilterSpec spec = default_filter();
  auto application = filter_over(frames);
  application.reference = [&](std::span<const std::byte> in, std::span<std::byte> out) {
    filter_reference(spec, frames.size(), in, out);
  };
  const auto target = open_target(kF1, kQuick);
  return target->run({.application = application,
                      .flow = flow,
                      .count = images,
                      .progress =
                          [&](int compared) {
                            if (compared == right) spec.coefficients[0][4] += 64;
                          },
                      .grain = Grain::coarse});
}

TEST(CoarseStream, AWrongLastImageIsFoundAsInAnOverlap) {
  const Noise noise({.width = 640, .height = 90});
  const int of_stream = longest_fine({.noise = noise, .images = 0, .overrides = kQuick}) + 9;
  for (const auto& [flow, images] : {std::pair("stream", of_stream), std::pair("overlap", 66)}) {
    const auto difference = run_with_reference_wrong_behind(flow, images - 1, images).difference;
    ASSERT_TRUE(difference) << flow;
    EXPECT_EQ(difference->message, images - 1) << flow;
    EXPECT_EQ(difference->messages, 1) << flow;
    EXPECT_EQ(difference->of_messages, images) << flow;
  }
}

TEST(MessagesBeside, TheFirstDifferenceIsThatOfTheFirstWrongImage) {
  for (const char* flow : {"offload", "overlap", "stream"}) {
    const auto difference = run_with_reference_wrong_behind(flow, 5, 12).difference;
    ASSERT_TRUE(difference) << flow;
    EXPECT_EQ(difference->message, 5) << flow;
    EXPECT_EQ(difference->messages, 7) << flow;
    EXPECT_EQ(difference->of_messages, 12) << flow;
  }
}

TEST(MessagesBeside, WhatIsThrownWhereImagesAreComparedReachesTheCaller) {
  const Noise noise({.width = 640, .height = 90});
  const auto application = filter_over(noise.frames(12));
  for (const char* flow : {"offload", "overlap", "stream"}) {
    const auto give_up = [](int compared) {
      if (compared == 5) throw Error("enough seen");
    };
    const program::Job job{.application = application, .flow = flow, .count = 12, .progress = give_up};
    EXPECT_THAT([&] { open_target(kF1, {})->run(job); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("enough seen")))
        << flow;
  }
}

TEST(MessagesBeside, CountsEachImageThatWasComparedInTurn) {
  const Noise noise({.width = 640, .height = 90});
  const int images = longest_fine({.noise = noise, .images = 0, .overrides = kQuick}) + 9;
  const auto application = filter_over(noise.frames(images));
  for (const char* flow : {"offload", "stream"}) {
    std::vector<int> told;
    open_target(kF1, kQuick)
        ->run({.application = application,
               .flow = flow,
               .count = images,
               .progress = [&](int compared) { told.push_back(compared); },
               .grain = Grain::coarse});
    std::vector<int> expected(static_cast<std::size_t>(images));
    std::iota(expected.begin(), expected.end(), 1);
    EXPECT_EQ(told, expected) << flow;
  }
}

TEST(ModelTarget, SaysTheGrainThatARunReallyHad) {
  const Noise noise({.width = 640, .height = 90});
  const auto target = open_target(kF1, kQuick);
  const int fine = longest_fine({.noise = noise, .images = 0, .overrides = kQuick});
  for (const auto& [images, grain] : {std::pair(fine, "fine"), std::pair(fine + 1, "coarse")}) {
    const auto application = filter_over(noise.frames(images));
    const auto done =
        program::ran(*target, {.application = application, .flow = "stream", .count = images, .grain = Grain::coarse});
    EXPECT_EQ(done.row.at("grain"), grain) << images;
  }
}

std::vector<Time> ends(std::initializer_list<int> microseconds) {
  std::vector<Time> all;
  for (const int at : microseconds) all.push_back(Time::us(at));
  return all;
}

TEST(IsSteady, WhereBothHalvesTakeAsLongButForARoundOfThePorter) {
  const Lengths lengths{.shorter = 2, .longer = 6, .round = Time::us(2)};
  EXPECT_TRUE(is_steady(ends({150, 250, 350, 450, 550, 650}), lengths));
  EXPECT_TRUE(is_steady(ends({150, 250, 350, 451, 550, 650}), lengths));
  EXPECT_FALSE(is_steady(ends({150, 250, 350, 450, 553, 657}), lengths));
  EXPECT_FALSE(is_steady(ends({150, 250, 350, 450, 545, 640}), lengths));
}

}  // namespace
}  // namespace isthmus::apps
