// Applications with an OpenCL kernel of several buffers, on a real device and on its twin.
#include <gmock/gmock.h>

#include "flows/flows.hpp"
#include "flows/mix.hpp"
#include "isthmus/base/error.hpp"
#include "program/target.hpp"

namespace isthmus::program {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

program::Run run_mix(const std::string& target, const std::string& flow, const ByteApplication& application) {
  return open_target(target, {})->run({.application = application, .flow = flow, .count = 7});
}

class DeviceFlows : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(DeviceFlows, KernelsOfSeveralBuffersGiveTheReferencesBytes) {
  const auto [target, flow] = GetParam();
  const auto result = run_mix(target, flow, mix().bytes());
  EXPECT_FALSE(result.difference);
  ASSERT_EQ(result.times.first.size(), 7U);
  EXPECT_EQ(result.times.first[0].size(), 5U) << "two copies in, the kernel, two copies out";
}

TEST_P(DeviceFlows, ANumberThatDiffersIsFound) {
  const auto [target, flow] = GetParam();
  auto application = mix();
  application.extras.device->arguments[3] = std::int32_t{4};
  const auto difference = run_mix(target, flow, application.bytes()).difference;
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->offset, kFew + 1) << "the first number of the second buffer that is not 0";
}

INSTANTIATE_TEST_SUITE_P(Devices, DeviceFlows,
                         testing::Combine(testing::Values("opencl:0", "model:aws-f1"),
                                          testing::Values("offload", "overlap")));

TEST(DeviceKernels, WhatDoesNotFitTheMessagesIsRefused) {
  const auto refused = [](const auto& change, const char* part) {
    auto application = mix();
    change(*application.extras.device);
    EXPECT_THAT([&] { run_mix("model:aws-f1", "offload", application.bytes()); },
                ThrowsMessage<Error>(HasSubstr(part)));
  };
  refused([](DeviceKernel& kernel) { kernel.inputs = {64}; }, "buffers of the input: expected 2112 bytes in all");
  refused([](DeviceKernel& kernel) { kernel.arguments[0] = InputBuffer{2}; }, "expected one of 2 input buffers");
}

TEST(DeviceKernels, AnApplicationHasTheFlowsOfItsKernels) {
  const auto application = mix().bytes();
  EXPECT_THAT(open_target("model:aws-f1", {})->flows(application), testing::ElementsAre("offload", "overlap"));
  EXPECT_THAT(open_target("native", {})->flows(application), testing::IsEmpty());
  EXPECT_THAT([&] { open_target("native", {})->require_flow(application, "offload"); },
              ThrowsMessage<Error>(HasSubstr("has no flow 'offload' of 'mix'")));
}

}  // namespace
}  // namespace isthmus::program
