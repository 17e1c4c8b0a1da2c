// Applications with an OpenCL kernel of several buffers, on a real device and on its twin.
#include <gmock/gmock.h>

#include <array>
#include <bit>
#include <vector>

#include "isthmus/base/error.hpp"
#include "isthmus/offload/word_kernel.hpp"
#include "program/flows.hpp"
#include "program/target.hpp"

namespace isthmus::program {
namespace {

using Number = std::uint32_t;
using Numbers = std::vector<Number>;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::size_t kFew = 16;
constexpr std::size_t kMany = 512;
constexpr Number kGain = 3;

Number constant(std::size_t i) {
  return static_cast<Number>(1000 + i * i);
}

/// The twin of two_buffers.cl, which stands beside this file.
class Mix : public offload::WordKernel {
 public:
  using WordKernel::WordKernel;
  void step() {
    const auto call = fabric::read_call(start);
    const auto at = [&call](std::size_t argument) { return offload::address_argument(call.arguments[argument]); };
    Numbers a(kMany);
    Numbers b(kFew);
    Numbers c(kFew);
    load(at(0), std::as_writable_bytes(std::span(a)));
    load(at(1), std::as_writable_bytes(std::span(b)));
    load(at(2), std::as_writable_bytes(std::span(c)));
    const auto gain = static_cast<Number>(offload::integer_argument(call.arguments[3]));
    for (std::size_t i = 0; i < kFew; ++i) b[i] += a[i];
    for (std::size_t i = 0; i < kMany; ++i) a[i] = a[i] * gain + c[i % kFew];
    give(at(4), b);
    give(at(5), a);
    finished.push({});
  }
  bool done() const { return false; }

 private:
  void give(fabric::DeviceAddress to, const Numbers& numbers) {
    begin_writing(to, numbers.size() * sizeof(Number));
    for (std::size_t i = 0; i < numbers.size(); i += kFew) {
      Word word;
      std::memcpy(word.bytes.data(), &numbers[i], sizeof(word));
      write(word);
      cycle();
    }
    work();
    written[0].read();
  }
};

std::vector<std::byte> constants() {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < kFew; ++i)
    for (const std::byte byte : std::bit_cast<std::array<std::byte, sizeof(Number)>>(constant(i)))
      bytes.push_back(byte);
  return bytes;
}

Application<Number, Number> mix() {
  return {.name = "mix",
          .summary = "two buffers in and out",
          .input = kMany + kFew,
          .output = kFew + kMany,
          .kernel = {},
          .fill =
              [](int message, std::span<Number> numbers) {
                for (std::size_t i = 0; i < numbers.size(); ++i)
                  numbers[i] = static_cast<Number>(message) * 7919U + static_cast<Number>(i * i);
              },
          .reference =
              [](std::span<const Number> in, std::span<Number> out) {
                for (std::size_t i = 0; i < kFew; ++i) out[i] = in[kMany + i] + in[i];
                for (std::size_t i = 0; i < kMany; ++i) out[kFew + i] = in[i] * kGain + constant(i % kFew);
              },
          .extras = {.device =
                         DeviceKernel{.twin = offload::kernel_model<Mix>("two_buffers"),
                                      .arguments = {InputBuffer{0}, InputBuffer{1}, ConstantBuffer{0},
                                                    static_cast<std::int32_t>(kGain), OutputBuffer{0}, OutputBuffer{1}},
                                      .columns = kMany,
                                      .inputs = {kMany * sizeof(Number), kFew * sizeof(Number)},
                                      .outputs = {kFew * sizeof(Number), kMany * sizeof(Number)},
                                      .constants = {constants()}}}};
}

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
