// The parts of a host that are switched off in the files of the boards, switched on: what a device's accesses to host
// memory then take, from the numbers of the files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refusal.hpp"
#include "isthmus/offload/open.hpp"
#include "isthmus/platform/description.hpp"

namespace isthmus::offload {
namespace {

using Kind = HostAccess::Kind;
using Overrides = std::vector<std::string>;
using testing::HasSubstr;
using testing::ThrowsMessage;

class HostParts : public testing::TestWithParam<const char*> {
 protected:
  static HostAccessLatency access(const HostAccess& what, const Overrides& overrides) {
    return open_device(GetParam(), overrides)->access_host_memory(what);
  }
  /// The time of a read by itself, in ns; its resolution is a cycle of the user clock.
  static double read(const Overrides& overrides) {
    return access({.kind = Kind::read, .size = {64}, .at_once = false}, overrides).each.seconds() * 1e9;
  }
  /// The time of a write and of reading it back.
  static double write(const Overrides& overrides) {
    return access({.kind = Kind::write, .size = {64}, .at_once = false}, overrides).each.seconds() * 1e9;
  }
  static std::string refusal(const Overrides& overrides) {
    return isthmus::refusal([&] { platform::load(platform::file_of(GetParam()), overrides); });
  }
};

constexpr double kCycle = 4;  // ns

TEST_P(HostParts, AnotherSocketIsItsLatencyAway) {
  const double near = read({});
  EXPECT_NEAR(read({"host.numa.enabled=true"}), near + 60, kCycle);
  EXPECT_NEAR(read({"host.numa.enabled=true", "host.numa.latency=200ns", "host.numa.distance=3"}), near + 600, kCycle);
}

TEST_P(HostParts, PagesThatTheTlbHoldsCostNothingAndOthersAWalk) {
  const Overrides one_page{"host.iommu.enabled=true"};
  EXPECT_NEAR(read(one_page), read({}), kCycle) << "again and again of the same page";
  const HostAccess pages{.kind = Kind::read, .size = {4096}, .at_once = true};
  const auto rate = [&](const Overrides& overrides) {
    const HostAccessLatency took = access(pages, overrides);
    return took.in_flight / took.each.seconds();
  };
  const Overrides few{"host.iommu.enabled=true", "host.iommu.entries=2", "host.iommu.ways=2", "link.pcie.tags=64",
                      "host.iommu.walk_latency=5us"};
  for (const int walks : {1, 2, 4}) {
    Overrides overrides = few;
    overrides.push_back("host.iommu.walks=" + std::to_string(walks));
    EXPECT_NEAR(rate(overrides), walks / 5e-6, 0.01 * walks / 5e-6) << "pages a second";
    overrides.push_back("host.iommu.page=1GiB");
    EXPECT_NEAR(rate(overrides), rate({"link.pcie.tags=64"}), 1e-3 * rate(overrides)) << "superpages";
  }
}

TEST_P(HostParts, WhatADeviceWroteIsReadFromTheCache) {
  for (const int hit : {10, 30, 90}) {
    const Overrides cached{"host.llc.enabled=true", "host.llc.hit_latency=" + std::to_string(hit)};
    EXPECT_NEAR(write(cached), write({}) - 90 + hit, kCycle) << "in place of host.memory.latency";
    EXPECT_NEAR(read(cached), read({}) - 90 + 100, kCycle) << "host.llc.miss_latency";
  }
}

TEST_P(HostParts, ThatCannotBeAreRefusedInOneLine) {
  EXPECT_EQ(refusal({"host.iommu.ways=128"}),
            "--set: key 'host.iommu.ways': expected host.iommu.ways <= host.iommu.entries, got 128 and 64");
  EXPECT_EQ(refusal({"host.llc.write_ways=21"}),
            "--set: key 'host.llc.write_ways': expected host.llc.write_ways <= host.llc.ways, got 21 and 20");
  EXPECT_EQ(refusal({"host.llc.hit_latency=300ns"}),
            "--set: key 'host.llc.hit_latency': expected host.llc.hit_latency <= host.llc.miss_latency, got 300 ns and "
            "100 ns");
  EXPECT_THAT(refusal({"host.iommu.page=5KiB"}), HasSubstr("--set: key 'host.iommu.page': expected a power of two"));
  EXPECT_THAT(refusal({"host.numa.distance=0"}), HasSubstr("--set: key 'host.numa.distance': expected 1..8, got 0"));
  EXPECT_THAT(refusal({"host.numa.hops=2"}), HasSubstr("expected a key of a part of kind numa, got an unknown one"));
}

INSTANTIATE_TEST_SUITE_P(Boards, HostParts, testing::Values("model:aws-f1", "model:alpha-data-7v3"));

}  // namespace
}  // namespace isthmus::offload
