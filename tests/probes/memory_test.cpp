#include "isthmus/probes/memory.hpp"

#include <gmock/gmock.h>

#include "isthmus/base/error.hpp"
#include "isthmus/offload/open.hpp"

namespace isthmus::probes {
namespace {

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = kKiB * kKiB;

using Overrides = std::vector<std::string>;

double seconds(const std::string& target, Access access, std::int64_t size, std::int64_t burst,
               const Overrides& overrides = {}) {
  const auto device = offload::open_device(target, overrides, memory_kernels());
  return sample(*memory_passes(*device, access, {size}, {burst}), 1).front().seconds();
}

class MemoryOfModels : public testing::TestWithParam<const char*> {};

// choi2019 table 5: 542 and 561 ns, of which the platform files hold the parts and the closed row's activation.
TEST_P(MemoryOfModels, OneBlockTakesTheLatencyOfControllerAndInterconnect) {
  EXPECT_NEAR(seconds(GetParam(), Access::read, 64, 64), 550e-9, 0.05 * 550e-9);
}

TEST_P(MemoryOfModels, ALongerWayThroughTheInterconnectIsPaidOnceABlock) {
  for (const Access access : {Access::read, Access::write}) {
    const double near = seconds(GetParam(), access, 64, 64, {"device.axi.latency=100"});
    const double far = seconds(GetParam(), access, 64, 64, {"device.axi.latency=600"});
    EXPECT_NEAR(far - near, 500e-9, 25e-9);
  }
}

TEST_P(MemoryOfModels, TheDataBusIsNeverOutrun) {
  for (const Access access : {Access::read, Access::write}) {
    const double rate = kMiB / seconds(GetParam(), access, kMiB, kMiB, {"device.dram.transfer_rate=800"});
    EXPECT_LT(rate, 800e6 * 8);
    EXPECT_GT(rate, 0.8 * 800e6 * 8);
  }
}

TEST_P(MemoryOfModels, ScatteredBlocksAreNoFasterThanAStream) {
  for (const Access access : {Access::read, Access::write}) {
    const double stream = seconds(GetParam(), access, 256 * kKiB, 256 * kKiB);
    EXPECT_GE(seconds(GetParam(), access, 256 * kKiB, 64), stream);
    EXPECT_GE(seconds(GetParam(), access, 256 * kKiB, kKiB) * 1.001, stream);
  }
}

// The enqueue and the launch of the platform file, interrupt and wake-up on top.
TEST_P(MemoryOfModels, AnEmptyKernelCostsItsLaunchAndTheWakeUp) {
  const auto device = offload::open_device(GetParam(), {"kernel.launch=50", "host.call.wake=7"}, memory_kernels());
  EXPECT_NEAR(sample(*launches(*device), 1).front().seconds(), 57e-6, 3e-6);
}

// What a longer way to the host's memory takes of the same round trip, the root complex does not: a doorbell and an
// interrupt pass it once each.
TEST_P(MemoryOfModels, DoorbellAndInterruptPassTheRootComplexAndNotTheHostsMemory) {
  const auto launch = [](const std::string& latency) {
    const auto device = offload::open_device(GetParam(), {"host.memory.latency=" + latency}, memory_kernels());
    return sample(*launches(*device), 1).front().seconds();
  };
  EXPECT_NEAR(launch("140") - launch("40"), -2 * 50e-9, 2 * 4e-9 + 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Boards, MemoryOfModels, testing::Values("model:aws-f1", "model:alpha-data-7v3"));

TEST(MemoryOfARealDevice, IsReadAndWrittenInTime) {
  const auto device = offload::open_device("opencl:0", {}, memory_kernels());
  for (const Access access : {Access::read, Access::write})
    for (const std::int64_t burst : {std::int64_t{64}, kMiB})
      for (const Time time : sample(*memory_passes(*device, access, {kMiB}, {burst}), 3)) EXPECT_GT(time, Time{});
  for (const Time time : sample(*launches(*device), 3)) EXPECT_GT(time, Time{});
}

TEST(Memory, IsProbedInWholeBursts) {
  const auto device = offload::open_device("model:aws-f1", {}, memory_kernels());
  EXPECT_THAT([&] { sample(*memory_passes(*device, Access::read, {1000}, {64}), 1); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("whole bursts")));
}

}  // namespace
}  // namespace isthmus::probes
