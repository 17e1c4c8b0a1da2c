#include <gmock/gmock.h>

#include "isthmus/base/error.hpp"
#include "isthmus/offload/open.hpp"

namespace isthmus::offload {
namespace {

using Kind = RegisterAccess::Kind;

double seconds(Kind kind, std::int64_t size, bool combining, int count,
               const std::vector<std::string>& overrides = {}) {
  const auto device = open_device("model:aws-f1", overrides);
  return device->access_registers({.kind = kind, .size = {size}, .write_combining = combining}, count).seconds();
}

TEST(Stores, PayOneTripOutOfTheCoreForEachLineThatTheyCombineTo) {
  const std::vector<std::string> overrides{"host.mmio.store=80"};
  for (const std::int64_t size : {4, 8, 64})
    EXPECT_NEAR(seconds(Kind::store, size, true, 64, overrides), static_cast<double>(size) * 80e-9, 2e-9) << size;
}

TEST(Stores, ThatAreNotCombinedPayForEachEightBytes) {
  const std::vector<std::string> overrides{"host.mmio.store=80"};
  EXPECT_NEAR(seconds(Kind::store, 4, false, 64, overrides), 64 * 80e-9, 2e-9);
  EXPECT_NEAR(seconds(Kind::store, 8, false, 64, overrides), 64 * 80e-9, 2e-9);
  EXPECT_NEAR(seconds(Kind::store, 64, false, 64, overrides), 8 * 64 * 80e-9, 2e-9);
}

// stacc III-D: 64 bytes of payload cost 94 on the wire, so a core that pays nothing waits for the link.
TEST(Stores, AreHeldUpByTheLinkWhenTheCoreIsFaster) {
  const std::vector<std::string> narrow{"host.mmio.store=0", "link.pcie.lanes=1"};
  constexpr int kCount = 16384;  // of which some hundred are under way when the last has left the core
  const double wire = kCount * 94 / (8e9 / 8 * 128 / 130);
  EXPECT_NEAR(seconds(Kind::store, 64, true, kCount, narrow), wire, 0.05 * wire);
}

// platforms/aws-f1.toml: 1 us, of which 90 ns are the host's memory.
TEST(Loads, WaitForTheRoundTripOfTheLinkWithoutTheHostsMemory) {
  EXPECT_NEAR(seconds(Kind::load, 8, false, 10), 10 * (1e-6 - 90e-9), 0.02 * 10e-6);
  const double longer = seconds(Kind::load, 8, false, 10, {"link.pcie.round_trip=1.5"});
  EXPECT_NEAR(longer - seconds(Kind::load, 8, false, 10), 10 * 0.5e-6, 0.05 * 5e-6);
}

TEST(Loads, DoNotPassTheHostsMemory) {
  const double shorter = seconds(Kind::load, 8, false, 10, {"host.memory.latency=40"});
  EXPECT_NEAR(seconds(Kind::load, 8, false, 10, {"host.memory.latency=140"}) - shorter, -10 * 100e-9, 10 * 4e-9)
      << "to a cycle of the user clock";
}

TEST(Registers, TakeNoMoreThanALineAtOnce) {
  EXPECT_THAT([] { seconds(Kind::store, 128, true, 1); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("host.mmio.payload")));
}

TEST(Registers, OfARealDeviceAreOutOfReach) {
  const auto device = open_device("opencl:0", {});
  EXPECT_THAT([&] { device->access_registers({.kind = Kind::load, .size = {8}, .write_combining = false}, 1); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("expected a model")));
}

}  // namespace
}  // namespace isthmus::offload
