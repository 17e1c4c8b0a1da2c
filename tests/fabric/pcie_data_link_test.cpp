// A link that makes errors: what its data link layer makes of them, against the protocol's own rules and a link
// without.
#include "isthmus/fabric/pcie_data_link.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "fabric/pcie_bench.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::fabric {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

PcieLinkSpec with(const LinkFaults& faults, PcieLinkSpec spec = f1_link()) {
  spec.faults = faults;
  return spec;
}

TEST(PcieDataLink, LosesNoByteNoCreditAndNoTagWhateverGoesWrong) {
  for (const std::int64_t payload : {128, 256, 1024})
    for (const LinkFaults& faults : {LinkFaults{.drop = 0.1}, LinkFaults{.duplicate = 0.2}, LinkFaults{.corrupt = 0.1},
                                     LinkFaults{.drop = 0.3, .duplicate = 0.3, .corrupt = 0.3}}) {
      PcieLinkSpec spec = with(faults);
      spec.max_payload = Bytes{payload};
      const Traffic traffic{.reads = 300, .writes = 300, .read_words = 17, .write_words = 40, .seed = 3};
      EXPECT_EQ(lost(spec, run_link(spec, traffic)), "") << payload;
    }
}

RC_GTEST_PROP(PcieDataLink, CarriesAnyTrafficOverAnyLinkWithAnyFaults, ()) {
  const auto probability = [] { return *rc::gen::inRange(0, 40) / 100.0; };
  PcieLinkSpec spec = with({.drop = probability(), .duplicate = probability(), .corrupt = probability()});
  spec.lanes = *rc::gen::element(1, 4, 16);
  spec.max_payload = Bytes{*rc::gen::element(128, 512, 2048)};
  spec.ack_every = *rc::gen::inRange(1, 9);
  spec.tags = *rc::gen::inRange(1, 33);
  spec.posted_header_credits = *rc::gen::inRange(1, 65);
  spec.posted_data_credits = static_cast<int>(spec.posted_header_credits * spec.max_payload.count / kDataCreditBytes);
  spec.nonposted_header_credits = *rc::gen::inRange(1, 65);
  spec.flight = Time::ns(*rc::gen::inRange(10, 200));
  const Traffic traffic{.reads = *rc::gen::inRange(0, 60),
                        .writes = *rc::gen::inRange(0, 60),
                        .read_words = *rc::gen::inRange(1, 256),
                        .write_words = *rc::gen::inRange(1, 256),
                        .seed = *rc::gen::arbitrary<std::uint64_t>()};
  RC_ASSERT(lost(spec, run_link(spec, traffic)) == "");
}

TEST(PcieDataLink, WithoutAFaultReplaysNothingAndTakesNoTime) {
  // One packet at a time, as tokens go anyway: the same times to the femtosecond.
  for (const int lanes : {1, 8, 16}) {
    PcieLinkSpec spec = f1_link();
    spec.lanes = lanes;
    const Traffic one{.reads = 1, .read_words = 1};
    EXPECT_EQ(run_link(with({}, spec), one).first_word, run_link(spec, one).first_word) << lanes;
    const LinkRun many = run_link(with({}, spec), {.reads = 500, .writes = 500});
    EXPECT_EQ(many.up_errors, LinkErrors{}) << lanes;
    EXPECT_EQ(many.down_errors, LinkErrors{}) << lanes;
  }
}

TEST(PcieDataLink, ALinkWithoutFaultsHasNoDataLinkLayerToRun) {
  const LinkRun run = run_link(f1_link(), {.reads = 10, .writes = 10});
  for (const auto& actor : run.report.actors) EXPECT_EQ(actor.name.find("data link"), std::string::npos) << actor.name;
}

TEST(PcieDataLink, EveryByteOnTheWireIsAPacketSentOrSentAgainOrADllp) {
  // 100 writes of 1024 bytes: 800 packets up, and again what was replayed or came twice; nothing else goes up.
  const LinkRun run = run_link(with({.drop = 0.05, .duplicate = 0.05, .corrupt = 0.05}), {.writes = 100});
  const LinkErrors& up = run.up_errors;
  EXPECT_GT(up.replayed, 0);
  EXPECT_EQ(run.up_wire_bytes, static_cast<std::uint64_t>(800 + up.replayed + up.duplicated) * 158);
  EXPECT_EQ(run.down_errors, LinkErrors{}) << "no packet goes there";
}

TEST(PcieDataLink, EachPacketThatWasLostOrBrokenIsSentAgainAndOneThatCameTwiceIsNot) {
  const LinkRun lost = run_link(with({.drop = 0.02}), {.writes = 2000});
  EXPECT_GE(lost.up_errors.replayed, lost.up_errors.dropped);
  // 16000 packets and what was replayed: a binomial, five standard deviations.
  const double sent = 16000.0 + static_cast<double>(lost.up_errors.replayed);
  EXPECT_NEAR(static_cast<double>(lost.up_errors.dropped), sent * 0.02, 5 * std::sqrt(sent * 0.02 * 0.98));
  const LinkRun twice = run_link(with({.duplicate = 0.02}), {.writes = 2000});
  EXPECT_GT(twice.up_errors.duplicated, 0);
  EXPECT_EQ(twice.up_errors.replayed, 0);
}

TEST(PcieDataLink, ALostPacketWithNoneBehindItIsSentAgainWhenTheReplayTimerHasRunOut) {
  const PcieLinkSpec spec = with({.drop = 0.3}, fine_link());
  const Traffic one{.reads = 1, .read_words = 1};
  const Time clean = run_link(with({}, fine_link()), one).first_word;
  const double request = 30 / raw_bandwidth(spec).bytes_per_second;
  int found = 0;
  for (std::uint64_t seed = 1; seed < 64; ++seed) {
    const LinkRun run = run_link(spec, one, kFastMemory, seed);
    if (run.up_errors.dropped != 1 || run.down_errors.dropped != 0) continue;
    ++found;
    EXPECT_NEAR((run.first_word - clean).seconds(), replay_timeout(spec).seconds() + request, 1e-9);
  }
  EXPECT_GT(found, 0);
}

TEST(PcieDataLink, ABrokenPacketIsAskedForAtOnce) {
  const PcieLinkSpec spec = with({.corrupt = 0.3}, fine_link());
  const Traffic one{.reads = 1, .read_words = 1};
  const Time clean = run_link(with({}, fine_link()), one).first_word;
  // The Nak on the wire, its flight, and the request and its flight once more.
  const double again = (8 + 30) / raw_bandwidth(spec).bytes_per_second + 2 * spec.flight.seconds();
  int found = 0;
  for (std::uint64_t seed = 1; seed < 64; ++seed) {
    const LinkRun run = run_link(spec, one, kFastMemory, seed);
    if (run.up_errors.corrupted != 1 || run.down_errors.corrupted != 0) continue;
    ++found;
    EXPECT_NEAR((run.first_word - clean).seconds(), again, 2e-9);
  }
  EXPECT_GT(found, 0);
}

TEST(PcieDataLink, FaultsCostTimeTheMoreTheMoreOftenTheyAre) {
  double before = run_link(with({}), {.writes = 1000}).write_gbps;
  for (const double share : {0.01, 0.05, 0.2}) {
    const double rate = run_link(with({.corrupt = share}), {.writes = 1000}).write_gbps;
    EXPECT_LT(rate, before) << share;
    before = rate;
  }
}

TEST(PcieDataLink, EqualSeedsGiveEqualRunsAndOthersDiffer) {
  const PcieLinkSpec spec = with({.drop = 0.05, .duplicate = 0.05, .corrupt = 0.05});
  const Traffic traffic{.reads = 200, .writes = 200};
  const LinkRun one = run_link(spec, traffic, kFastMemory, 7);
  const LinkRun again = run_link(spec, traffic, kFastMemory, 7);
  const LinkRun other = run_link(spec, traffic, kFastMemory, 8);
  EXPECT_EQ(one.up_errors, again.up_errors);
  EXPECT_EQ(one.report.end, again.report.end);
  EXPECT_EQ(one.up_wire_bytes, again.up_wire_bytes);
  EXPECT_NE(one.up_wire_bytes, other.up_wire_bytes);
}

TEST(PcieDataLink, ALinkThatLosesEverythingIsSaidToBeDown) {
  EXPECT_THAT([] { run_link(with({.drop = 1}), {.writes = 1}); },
              ThrowsMessage<Error>(HasSubstr("a PCIe link lost each packet of 1000 replays in a row")));
}

}  // namespace
}  // namespace isthmus::fabric
