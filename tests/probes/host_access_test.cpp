// The device reads and writes host memory: against round trip and time on the wire.
#include <gmock/gmock.h>

#include <cmath>

#include "isthmus/base/error.hpp"
#include "isthmus/fabric/pcie.hpp"
#include "isthmus/offload/open.hpp"
#include "isthmus/platform/description.hpp"
#include "isthmus/platform/specs.hpp"

namespace isthmus::offload {
namespace {

using Kind = HostAccess::Kind;
using Overrides = std::vector<std::string>;

HostAccessLatency latency(const std::string& target, Kind kind, std::int64_t size, bool at_once,
                          const Overrides& overrides = {}) {
  return open_device(target, overrides)->access_host_memory({.kind = kind, .size = {size}, .at_once = at_once});
}

/// The closed forms of a board.
class Link {
 public:
  explicit Link(const std::string& target, const Overrides& overrides = {})
      : spec_(platform::kinds::pcie_link_spec(platform::load(platform::file_of(target), overrides).the("pcie"))) {}

  double round_trip() const { return spec_.round_trip.seconds(); }
  double cycle() const { return 1 / spec_.user_clock.frequency.hertz(); }
  int tags() const { return spec_.tags; }
  double request() const { return wire(static_cast<double>(spec_.request_overhead.count)); }
  double completions(std::int64_t size) const { return wire(size, spec_.completion_overhead); }
  double writes(std::int64_t size) const { return wire(size, spec_.request_overhead); }
  /// Words that pass the FPGA's PCIe block.
  double user(std::int64_t size) const {
    return static_cast<double>(size) / static_cast<double>(spec_.user_width.count) * cycle();
  }

 private:
  double wire(double bytes) const { return bytes / fabric::raw_bandwidth(spec_).bytes_per_second; }
  double wire(std::int64_t size, Bytes overhead) const {
    const double packets = std::ceil(static_cast<double>(size) / static_cast<double>(spec_.max_payload.count));
    return wire(static_cast<double>(size) + packets * static_cast<double>(overhead.count));
  }
  fabric::PcieLinkSpec spec_;
};

class HostAccessOfModels : public testing::TestWithParam<const char*> {};

TEST_P(HostAccessOfModels, AReadTakesTheRoundTripAndItsTimeOnTheWire) {
  for (const std::int64_t size : {64, 128, 256, 512, 1024, 2048, 4096})
    for (const char* round_trip : {"0.7", "1", "3"}) {
      const Overrides overrides{std::string("link.pcie.round_trip=") + round_trip};
      const Link link(GetParam(), overrides);
      const HostAccessLatency took = latency(GetParam(), Kind::read, size, false, overrides);
      const double closed = link.round_trip() + link.request() + link.completions(size);
      EXPECT_EQ(took.in_flight, 1);
      // The last word crosses the block after its packet; Acks and updates share the wire.
      EXPECT_NEAR(took.each.seconds(), closed, 8 * link.cycle() + 0.03 * link.completions(size)) << size << " B";
    }
}

// The words are gathered into packets before they go, and the last is read back behind them.
TEST_P(HostAccessOfModels, AWriteTakesItsTimeOnTheWireAndTheReadOfItsLastWord) {
  const Link link(GetParam());
  for (const std::int64_t size : {64, 128, 256, 512, 1024, 2048, 4096}) {
    const double least = std::max(link.writes(size), link.user(size)) + link.round_trip() + link.completions(64);
    const double most = link.writes(size) + link.user(std::min<std::int64_t>(size, 512)) + 2 * link.request() +
                        link.round_trip() + link.completions(64);
    const double took = latency(GetParam(), Kind::write, size, false).each.seconds();
    EXPECT_GT(took, least) << size << " B";
    EXPECT_LT(took, most + 12 * link.cycle() + 0.03 * link.writes(size)) << size << " B";
  }
}

TEST_P(HostAccessOfModels, AsManyReadsAsTagsAllowWaitForEachOtherAtMostOnTheWire) {
  const Link link(GetParam());
  for (const std::int64_t size : {64, 512, 4096}) {
    const HostAccessLatency took = latency(GetParam(), Kind::read, size, true);
    EXPECT_EQ(took.in_flight, std::max<std::int64_t>(1, link.tags() / ((size + 511) / 512))) << size;
    const double wire = took.in_flight * link.completions(size);
    const double alone = latency(GetParam(), Kind::read, size, false).each.seconds();
    EXPECT_GE(took.each.seconds(), 0.998 * std::max(alone, wire)) << size << " B";
    EXPECT_LE(took.each.seconds(), std::max(alone, wire) * 1.06 + 20 * link.cycle()) << size << " B";
  }
}

// A rate beyond the wire's would say that fewer are under way than are told.
TEST_P(HostAccessOfModels, AsManyWritesAsTagsAllowAreNoFasterThanTheWire) {
  const Link link(GetParam());
  for (const std::int64_t size : {64, 512, 4096}) {
    const HostAccessLatency took = latency(GetParam(), Kind::write, size, true);
    EXPECT_EQ(took.in_flight, link.tags());
    const double wire = took.in_flight * std::max(link.writes(size) + link.request(), link.user(size));
    const double alone = latency(GetParam(), Kind::write, size, false).each.seconds();
    EXPECT_GE(took.each.seconds(), 0.998 * std::max(alone, wire)) << size << " B";
    EXPECT_LE(took.each.seconds(), std::max(alone, wire) * 1.08 + 20 * link.cycle()) << size << " B";
  }
}

TEST_P(HostAccessOfModels, ALongerWayIsPaidByEveryAccessOnce) {
  for (const Kind kind : {Kind::read, Kind::write}) {
    const double near = latency(GetParam(), kind, 256, false).each.seconds();
    const double far = latency(GetParam(), kind, 256, false, {"link.pcie.round_trip=2"}).each.seconds();
    EXPECT_NEAR(far - near, 1e-6, 5e-9);
  }
}

// 512 B from 64 B past a boundary of 128 B: the first completion of at most 128 B ends there, and a fifth is needed.
TEST_P(HostAccessOfModels, AReadThatBeginsBetweenBoundariesIsAnsweredInOneCompletionMore) {
  const auto each = [](std::int64_t offset, const char* boundary) {
    const Overrides overrides{"link.pcie.round_trip=0.7", "link.pcie.max_payload=128B",
                              std::string("link.pcie.read_completion_boundary=") + boundary};
    return open_device(GetParam(), overrides)
        ->access_host_memory({.kind = Kind::read, .size = {512}, .at_once = true, .offset = {offset}})
        .each.seconds();
  };
  const auto spec = platform::kinds::pcie_link_spec(platform::load(platform::file_of(GetParam()), {}).the("pcie"));
  const auto overhead = static_cast<double>(spec.completion_overhead.count);
  const double more = (512 + 5 * overhead) / (512 + 4 * overhead);
  EXPECT_NEAR(each(64, "128B") / each(64, "64B"), more, 0.1 * (more - 1));
  EXPECT_DOUBLE_EQ(each(0, "128B"), each(0, "64B"));
  EXPECT_DOUBLE_EQ(each(64, "64B"), each(0, "64B"));
}

TEST_P(HostAccessOfModels, WhatDoesNotLieInAPageIsRefused) {
  const auto device = open_device(GetParam(), {});
  for (const std::int64_t offset : {-64, 32, 3648})
    EXPECT_THAT(
        [&] { device->access_host_memory({.kind = Kind::read, .size = {512}, .at_once = false, .offset = {offset}}); },
        testing::ThrowsMessage<Error>(testing::HasSubstr("expected a multiple of 64 up to 3584")))
        << offset;
}

TEST_P(HostAccessOfModels, OtherSizesAreRefused) {
  for (const std::int64_t size : {0, 32, 100, 8192})
    EXPECT_THAT([&] { latency(GetParam(), Kind::read, size, false); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("expected a multiple of 64 up to 4096")));
}

INSTANTIATE_TEST_SUITE_P(Boards, HostAccessOfModels, testing::Values("model:aws-f1", "model:alpha-data-7v3"));

TEST(HostAccess, OfARealDeviceIsRefused) {
  EXPECT_THAT([] { latency("opencl:0", Kind::read, 64, false); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("expected a model")));
}

}  // namespace
}  // namespace isthmus::offload
