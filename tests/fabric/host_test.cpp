// Several links on one host: how they share its memory, and that each keeps its own bytes, credits and tags.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "fabric/pcie_bench.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::fabric {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr double kSlow = 8;  // GB/s of a memory that is slower than one of the links
const HostMemorySpec kSlowMemory{Bandwidth::gb_per_second(kSlow)};

std::vector<LinkAndTraffic> equal_links(std::size_t count, const Traffic& traffic) {
  return std::vector(count, LinkAndTraffic{busy_link(), traffic});
}

TEST(Host, SharesItsMemoryEquallyAmongLinksThatReadMoreThanItGives) {
  for (const std::size_t links : {1U, 2U, 3U, 5U})
    for (const LinkRun& run : run_links(equal_links(links, {.reads = 1000}), kSlowMemory)) {
      const double share = kSlow / static_cast<double>(links);
      EXPECT_LE(run.read_gbps, share);
      EXPECT_GE(run.read_gbps, 0.98 * share) << links << " links";
      EXPECT_TRUE(run.read_back_right);
    }
}

TEST(Host, SharesItsMemoryEquallyAmongLinksThatWriteMoreThanItTakes) {
  for (const LinkRun& run : run_links(equal_links(2, {.writes = 2000}), kSlowMemory)) {
    EXPECT_NEAR(run.write_gbps, kSlow / 2, 0.03 * kSlow / 2) << "what waits for credits at the end is done already";
    EXPECT_TRUE(run.written_right);
  }
}

TEST(Host, LeavesEachLinkItsOwnRateWhereItsMemoryIsFastEnough) {
  const LinkRun alone = run_link(busy_link(), {.reads = 2000});
  for (const LinkRun& run : run_links(equal_links(3, {.reads = 2000}))) {
    EXPECT_NEAR(run.read_gbps, alone.read_gbps, 0.001 * alone.read_gbps);
    EXPECT_EQ(run.down_wire_bytes, alone.down_wire_bytes);
  }
}

// A narrow link takes what it can, the wide one the rest.
TEST(Host, GivesWhatOneLinkCannotTakeToTheOther) {
  PcieLinkSpec narrow = busy_link();
  narrow.lanes = 1;
  const double one_lane = run_link(narrow, {.reads = 200}).read_gbps;
  const auto runs = run_links({{busy_link(), {.reads = 2000}}, {narrow, {.reads = 200}}}, kSlowMemory);
  EXPECT_NEAR(runs[0].read_gbps, kSlow - one_lane, 0.02 * kSlow);
  EXPECT_NEAR(runs[1].read_gbps, one_lane, 0.05 * one_lane);
}

TEST(Host, AnswersAnIdleLinkNoLaterForHavingOthers) {
  const Traffic once{.reads = 1, .read_words = 1};
  EXPECT_EQ(run_links({{busy_link(), once}, {busy_link(), {}}, {busy_link(), {}}})[0].first_word,
            run_link(busy_link(), once).first_word);
}

TEST(Host, HasNoRoomForMoreLinksThanItWasBuiltFor) {
  Graph graph;
  Host host(graph, kFastMemory, 1);
  add_pcie_link(graph, busy_link(), host);
  const Scope scope = graph.scope("second");
  EXPECT_THAT([&] { add_pcie_link(graph, busy_link(), host); },
              ThrowsMessage<Error>(HasSubstr("a host: expected at most 1 links")));
}

LinkAndTraffic any_link() {
  PcieLinkSpec spec = busy_link();
  spec.lanes = *rc::gen::element(1, 4, 16);
  spec.tags = *rc::gen::inRange(1, 65);
  spec.max_payload = Bytes{*rc::gen::element(128, 256)};
  spec.max_read_request = Bytes{*rc::gen::element(128, 512, 4096)};
  spec.read_completion_boundary = Bytes{*rc::gen::element(64, 128)};
  spec.nonposted_header_credits = *rc::gen::inRange(1, 65);
  spec.posted_header_credits = *rc::gen::inRange(1, 65);
  spec.flight = Time::fs(*rc::gen::element<std::int64_t>(4, 1000, 150'000'000));
  return {spec,
          {.reads = *rc::gen::inRange(0, 40),
           .writes = *rc::gen::inRange(0, 40),
           .read_words = *rc::gen::inRange(1, 65),
           .write_words = *rc::gen::inRange(1, 65),
           .seed = *rc::gen::arbitrary<std::uint64_t>()}};
}

RC_GTEST_PROP(Host, LosesNoByteNoCreditAndNoTagOfAnyLink, ()) {
  std::vector<LinkAndTraffic> links(*rc::gen::inRange<std::size_t>(1, 5));
  for (LinkAndTraffic& one : links) one = any_link();
  const HostMemorySpec memory{Bandwidth::gb_per_second(*rc::gen::element(0.5, 8.0, 70.0))};
  const auto runs = run_links(links, memory);
  for (std::size_t i = 0; i < links.size(); ++i) RC_ASSERT(lost(links[i].link, runs[i]) == "");
}

}  // namespace
}  // namespace isthmus::fabric
