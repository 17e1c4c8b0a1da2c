#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "application/checker.hpp"
#include "apps/filter_over.hpp"
#include "apps/noise.hpp"
#include "apps/random_filter.hpp"
#include "flows/flows.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/offload/open.hpp"
#include "program/target.hpp"

namespace isthmus::apps {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

using program::DeviceFlow;
using program::FlowTimes;
using program::open_target;

std::unique_ptr<DeviceFlow> make_flow(const std::string& name, offload::Device& device, const FilterSpec& spec,
                                      ImageSize size) {
  return program::flow_named(name).between_copies(device, image_filter_of(spec, size, {}));
}

/// Images held in memory; `finished` keeps the order and can be made to fail.
class Images : public program::Exchange {
 public:
  Images(ImageSize size, int count) : in_(static_cast<std::size_t>(count)), out_(in_.size()) {
    for (std::size_t i = 0; i < in_.size(); ++i) {
      out_[i].resize(size.bytes());
      for (std::size_t byte = 0; byte < size.bytes(); ++byte)
        in_[i].push_back(static_cast<std::byte>((byte * byte + 31 * byte + 97 * i) % 251));
    }
  }
  std::span<const std::byte> input(int image) override { return in_[static_cast<std::size_t>(image)]; }
  std::span<std::byte> output(int image) override { return out_[static_cast<std::size_t>(image)]; }
  void finished(int image) override {
    if (image == fails_at_) throw Error("the exchange failed");
    order_.push_back(image);
  }
  void fail_at(int image) { fails_at_ = image; }
  const std::vector<int>& order() const { return order_; }

 private:
  std::vector<std::vector<std::byte>> in_;
  std::vector<std::vector<std::byte>> out_;
  std::vector<int> order_;
  int fails_at_ = -1;
};

void expect_filtered(Images& images, const FilterSpec& spec, ImageSize size, int first, int count) {
  std::vector<std::byte> expected(size.bytes());
  for (int image = first; image < first + count; ++image) {
    filter_reference(spec, size, images.input(image), expected);
    EXPECT_TRUE(std::ranges::equal(expected, images.output(image))) << "image " << image;
  }
}

class FlowsOnOpenCl : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<offload::Device> device_ = offload::open_opencl("opencl:0");
};

TEST_P(FlowsOnOpenCl, EveryImageEqualsTheReferenceAndFinishesInOrder) {
  const ImageSize size{67, 35};
  const auto flow = make_flow(GetParam(), *device_, default_filter(), size);
  Images images(size, 9);
  flow->run(images, 0, 9);
  expect_filtered(images, default_filter(), size, 0, 9);
  EXPECT_THAT(images.order(), testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8));
}

TEST_P(FlowsOnOpenCl, ARunMayBeRepeatedAndStartAnywhere) {
  const ImageSize size{40, 8};
  const auto flow = make_flow(GetParam(), *device_, default_filter(), size);
  Images images(size, 8);
  flow->run(images, 0, 3);
  flow->run(images, 3, 1);
  flow->run(images, 4, 4);
  expect_filtered(images, default_filter(), size, 0, 8);
}

TEST_P(FlowsOnOpenCl, ImagesOfOddSizesAndAnyFilterEqualTheReference) {
  EXPECT_TRUE(rc::check([this] {
    // Few sizes: a driver may compile a kernel anew for each.
    const ImageSize size{*rc::gen::element(1, 2, 3, 17, 50), *rc::gen::element(1, 2, 19)};
    const auto spec = *random_filter();
    Images images(size, 2);
    make_flow(GetParam(), *device_, spec, size)->run(images, 0, 2);
    expect_filtered(images, spec, size, 0, 2);
    RC_ASSERT(!testing::Test::HasFailure());
  }));
}

TEST_P(FlowsOnOpenCl, EveryStageTakesTimeWithinTheRun) {
  const ImageSize size{640, 400};
  const auto flow = make_flow(GetParam(), *device_, default_filter(), size);
  Images images(size, 4);
  const Moment before = device_->now();
  const FlowTimes times = flow->run(images, 0, 4);
  EXPECT_LE(times.elapsed, device_->now() - before);
  ASSERT_GE(times.stages.size(), 3u);
  EXPECT_EQ(times.stages[0].name, "host to device copy");
  EXPECT_EQ(times.stages[1].name, "kernel");
  EXPECT_EQ(times.stages[2].name, "device to host copy");
  for (std::size_t i = 0; i < 3; ++i) EXPECT_GT(times.stages[i].time, Time());
  for (const program::Stage& stage : times.stages) EXPECT_LE(stage.time, times.elapsed) << stage.name;
  ASSERT_EQ(times.first.size(), 4u);
  for (const auto& steps : times.first)
    for (const program::Step& step : steps) EXPECT_LT(step.begin, step.end) << step.name;
}

TEST_P(FlowsOnOpenCl, AFailureOnTheWayEndsTheRunAndTheNextOneWorks) {
  const ImageSize size{32, 16};
  const auto flow = make_flow(GetParam(), *device_, default_filter(), size);
  Images images(size, 6);
  images.fail_at(2);
  EXPECT_THAT([&] { flow->run(images, 0, 6); }, ThrowsMessage<Error>(HasSubstr("the exchange failed")));
  Images again(size, 6);
  flow->run(again, 0, 6);
  expect_filtered(again, default_filter(), size, 0, 6);
}

INSTANTIATE_TEST_SUITE_P(Flows, FlowsOnOpenCl, testing::Values("offload", "overlap"),
                         [](const auto& test) { return test.param; });

TEST(OffloadFlow, ItsStagesAddUpToTheRun) {
  const auto device = offload::open_opencl("opencl:0");
  const ImageSize size{640, 400};
  Images images(size, 3);
  const FlowTimes times = make_flow("offload", *device, default_filter(), size)->run(images, 0, 3);
  Time sum;
  for (const program::Stage& stage : times.stages) sum += stage.time;
  EXPECT_GE(sum, times.elapsed);
  EXPECT_EQ(times.stages.back().name, "between commands");
}

TEST(Targets, AnOpenClTargetRunsBothOfItsFlowsAndChecksEveryImage) {
  const auto target = open_target("opencl:0", {});
  const Noise noise({.width = 64, .height = 48});
  const auto application = filter_over(noise.frames(7));
  EXPECT_FALSE(target->modelled());
  EXPECT_THAT(target->flows(application), testing::ElementsAre("offload", "overlap"));
  for (const std::string& flow : target->flows(application)) {
    int checked = 0;
    const program::Run run = target->run(
        {.application = application, .flow = flow, .count = 7, .progress = [&](int done) { checked = done; }});
    EXPECT_EQ(checked, 7);
    EXPECT_FALSE(run.difference);
    EXPECT_GT(run.setup, Time());
    EXPECT_GT(run.times.elapsed, Time());
  }
}

TEST(Targets, ARealDeviceHasNoSettings) {
  EXPECT_THAT([] { open_target("opencl:0", {"link.pcie.lanes=8"}); },
              ThrowsMessage<Error>(HasSubstr("link.pcie.lanes=8")));
}

TEST(OpenTarget, AnUnknownKindIsRefusedWithWhatIsExpected) {
  for (const char* target : {"opencl:0", "native"})
    EXPECT_THAT([&] { open_target(target, {}, "vh0"); },
                ThrowsMessage<Error>(HasSubstr("is no model, and only models have links to choose")));
  EXPECT_THAT([] { open_target("fpga", {}); }, ThrowsMessage<Error>(HasSubstr("unknown target 'fpga'")));
}

TEST(Checker, FindsTheFirstByteThatDiffers) {
  const ImageSize size{6, 4};
  const FilterSpec spec = default_filter();
  int checked = 0;
  const auto application = image_filter_of(spec, size, {});
  program::Checker checker(application, [&](int count) { checked = count; });
  const auto in = chart(size).pixels;
  std::vector<std::byte> out(size.bytes());
  filter_reference(spec, size, in, out);
  checker.check(0, in, out);
  EXPECT_FALSE(checker.difference());
  const auto right = std::to_integer<int>(out[37]);
  out[37] ^= std::byte{1};
  out[50] ^= std::byte{1};
  checker.check(1, in, out);
  ASSERT_TRUE(checker.difference());
  EXPECT_EQ(checker.difference()->message, 1);
  EXPECT_EQ(checker.difference()->offset, 37u);
  EXPECT_EQ(checker.difference()->expected, std::to_string(right));
  EXPECT_EQ(checker.difference()->got, std::to_string(right ^ 1));
  EXPECT_EQ(checker.difference()->elements, 2);
  EXPECT_EQ(checker.difference()->messages, 1);
  EXPECT_EQ(checker.difference()->of_messages, 2);
  EXPECT_EQ(checked, 2);
}

}  // namespace
}  // namespace isthmus::apps
