// Payloads of 128 to 4096 B: rates by their closed form, the wire's bytes against packets cut line by line, and every
// byte of random traffic.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "fabric/pcie_bench.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::fabric {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

/// GB/s of four lanes of 8 GT/s: so few that neither the device's data path nor credits or tags are a limit.
constexpr double kRaw = 4 * 8.0 / 8 * 128 / 130;

PcieLinkSpec link_of(std::int64_t payload) {
  PcieLinkSpec spec = f1_link();
  spec.lanes = 4;
  spec.max_payload = Bytes{payload};
  spec.max_read_request = Bytes{4096};
  spec.posted_data_credits = 2047;
  return spec;
}

constexpr int kPageInWords = 64;

class Payload : public testing::TestWithParam<std::int64_t> {};

TEST_P(Payload, OfWritesTakesItsShareOfTheRawRate) {
  const auto payload = static_cast<double>(GetParam());
  const double bound = kRaw * payload / (payload + 30);
  const auto run = run_link(link_of(GetParam()), {.writes = 1000, .write_words = kPageInWords});
  EXPECT_LE(run.write_gbps, 1.005 * bound) << "the last packets are done but wait for the lane";
  EXPECT_GE(run.write_gbps, 0.995 * bound);
  EXPECT_TRUE(run.written_right);
}

TEST_P(Payload, OfCompletionsTakesItsShareOfTheRawRate) {
  const auto payload = static_cast<double>(GetParam());
  // For each request of 4096 B an Ack and an update go by, one for every three.
  const double bound = kRaw * 4096 / (4096 / payload * (payload + 26) + 2 * 8.0 / 3);
  const auto run = run_link(link_of(GetParam()), {.reads = 1000, .read_words = kPageInWords});
  EXPECT_LE(run.read_gbps, bound);
  EXPECT_GE(run.read_gbps, 0.99 * bound);
  EXPECT_TRUE(run.read_back_right);
}

TEST_P(Payload, IsOnTheWireByItsLastByteBeforeItIsHandedOver) {
  const PcieLinkSpec spec = link_of(GetParam());
  const int words = static_cast<int>(GetParam() / kWordBytes);
  const double wire = (30 + 26 + static_cast<double>(GetParam())) / (kRaw * 1e9);
  const Time measured = run_link(spec, {.reads = 1, .read_words = words}).first_word;
  EXPECT_NEAR(measured.seconds(), spec.round_trip.seconds() + wire, 10e-9) << "two cycles of the user clock";
}

INSTANTIATE_TEST_SUITE_P(Sizes, Payload, testing::Values(128, 256, 512, 1024, 2048, 4096),
                         testing::PrintToStringParamName());

// ---- packets, cut line by line

/// What a read adds to the wire: it is asked for in requests that no page's border cuts; of each, a completion is all
/// that is left, or ends at the last boundary that its payload reaches.
std::uint64_t completion_bytes_on_wire(const PcieLinkSpec& spec, std::uint64_t addr, int words) {
  std::uint64_t sum = 0;
  std::int64_t of_request = 0;
  std::int64_t of_packet = 0;
  const auto to_end_of_request = [&spec](std::uint64_t at, std::int64_t words_left) {
    const auto page = static_cast<std::int64_t>(4096 - at % 4096);
    return std::min({words_left * kWordBytes, spec.max_read_request.count, page});
  };
  for (std::int64_t left = words; left > 0; --left, addr += kWordBytes) {
    if (of_request == 0) of_request = to_end_of_request(addr, left);
    if (of_packet == 0) {
      sum += static_cast<std::uint64_t>(spec.completion_overhead.count);
      const auto past = static_cast<std::int64_t>(addr) % spec.read_completion_boundary.count;
      const auto boundary = (past + spec.max_payload.count) / spec.read_completion_boundary.count;
      of_packet =
          of_request <= spec.max_payload.count ? of_request : boundary * spec.read_completion_boundary.count - past;
    }
    sum += kWordBytes;
    of_request -= kWordBytes;
    of_packet -= kWordBytes;
  }
  return sum;
}

std::int64_t power_of_two(int low, int high) {
  return std::int64_t{1} << *rc::gen::inRange(low, high + 1);
}

/// A link of any payload, with as little room for it as may be.
PcieLinkSpec any_link() {
  PcieLinkSpec spec = f1_link();
  spec.max_payload = Bytes{power_of_two(7, 12)};
  spec.max_read_request = Bytes{power_of_two(7, 12)};
  spec.read_completion_boundary = Bytes{power_of_two(6, 7)};
  spec.lanes = static_cast<int>(power_of_two(0, 4));
  spec.tags = *rc::gen::inRange(1, 40);
  spec.posted_header_credits = *rc::gen::inRange(1, 20);
  spec.nonposted_header_credits = *rc::gen::inRange(1, 20);
  const auto least = static_cast<int>(spec.max_payload.count / kDataCreditBytes);
  spec.posted_data_credits = *rc::gen::inRange(least, 2048);
  spec.ack_every = *rc::gen::inRange(1, 5);
  spec.update_fc_every = *rc::gen::inRange(1, 5);
  spec.flight = Time::ns(*rc::gen::inRange(1, 300));
  return spec;
}

/// Requests of so many words that they begin anywhere in their pages.
Traffic any_traffic() {
  return {.reads = *rc::gen::inRange(0, 40),
          .writes = *rc::gen::inRange(0, 40),
          .read_words = *rc::gen::inRange(1, 256),
          .write_words = *rc::gen::inRange(1, 256),
          .seed = *rc::gen::arbitrary<std::uint64_t>()};
}

HostMemorySpec any_memory() {
  HostMemorySpec spec{Bandwidth::gb_per_second(*rc::gen::inRange(2, 100))};
  if (*rc::gen::arbitrary<bool>())
    spec.socket_link = {.hops = 1,
                        .rate = Bandwidth::gb_per_second(*rc::gen::inRange(2, 40)),
                        .latency = Time::ns(*rc::gen::inRange(10, 100))};
  if (*rc::gen::arbitrary<bool>())
    spec.iommu = {.entries = 4, .ways = 2, .page = Bytes{4096}, .walks = 2, .walk = Time::ns(100)};
  if (*rc::gen::arbitrary<bool>())
    spec.cache = {.size = Bytes{16384}, .ways = 8, .write_ways = 2, .hit = Time::ns(30), .miss = Time::ns(100)};
  return spec;
}

RC_GTEST_PROP(AnyPayload, BringsEveryByteAndLosesNoCreditWhateverLiesOnTheWay, ()) {
  std::vector<LinkAndTraffic> links;
  for (int i = *rc::gen::inRange(1, 4); i > 0; --i) links.push_back({any_link(), any_traffic()});
  const std::vector<LinkRun> runs = run_links(links, any_memory());
  for (std::size_t i = 0; i < links.size(); ++i) RC_ASSERT(lost(links[i].link, runs[i]) == "");
}

RC_GTEST_PROP(AnyPayload, IsCutIntoThePacketsThatTheStandardAllows, ()) {
  PcieLinkSpec spec = any_link();
  Traffic traffic = any_traffic();
  traffic.writes = 0;
  std::uint64_t expected = 0;
  std::uint64_t requests = 0;
  for (int i = 0; i < traffic.reads; ++i) {
    const auto words = static_cast<std::uint64_t>(traffic.read_words);
    const std::uint64_t addr = static_cast<std::uint64_t>(i) * words * kWordBytes;
    expected += completion_bytes_on_wire(spec, addr, traffic.read_words);
    for (std::uint64_t at = addr, end = addr + words * kWordBytes; at < end; ++requests)
      at += std::min({end - at, static_cast<std::uint64_t>(spec.max_read_request.count), 4096 - at % 4096});
  }
  const auto every = static_cast<std::uint64_t>(std::min(spec.update_fc_every, spec.nonposted_header_credits));
  expected += 8 * (requests / static_cast<std::uint64_t>(spec.ack_every) + requests / every);
  RC_ASSERT(run_link(spec, traffic).down_wire_bytes == expected);
}

TEST(LargePayloads, AreRefusedWhereTheCreditsHoldNone) {
  PcieLinkSpec spec = link_of(4096);
  spec.posted_data_credits = 255;
  EXPECT_THAT([&] { run_link(spec, {.writes = 1}); },
              ThrowsMessage<Error>(HasSubstr("a link's posted credits: expected room for a packet of 4096 B")));
  spec.posted_data_credits = 256;
  EXPECT_TRUE(run_link(spec, {.writes = 40, .write_words = 64}).written_right);
}

}  // namespace
}  // namespace isthmus::fabric
