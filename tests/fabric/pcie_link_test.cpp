// A link with both its ends: rates against formulas, round trip, and what must not get lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fabric/pcie_bench.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::fabric {
namespace {

using testing::DoubleNear;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// GB/s of one direction before any overhead, from transfer rates and encodings as the standard states them.
double raw(int generation, int lanes) {
  const double rates[] = {0.25, 0.5, 8.0 / 8 * 128 / 130, 16.0 / 8 * 128 / 130, 32.0 / 8 * 128 / 130};
  return rates[generation - 1] * lanes;
}

/// Bytes on the wire for 128 bytes of payload: a write, and what a read adds in either direction (its request there,
/// its completion here), with the DLLPs that traffic in the other direction makes due.
struct PerPayload {
  double write = 128 + 30;
  double completion = 128 + 26;
  double request = 30 * 128.0 / 512;
  double ack = 8.0 / 3;
  double update = 8.0 / 3;
  double requests = 128.0 / 512;  ///< for each completion
};

TEST(PcieLink, CarriesLanesTimesRateTimesEncoding) {
  for (int generation = 1; generation <= 5; ++generation)
    for (const int lanes : {1, 4, 16})
      EXPECT_NEAR(raw_bandwidth({.generation = generation, .lanes = lanes}).gb_per_second(), raw(generation, lanes),
                  1e-9);
}

TEST(PcieLink, PayloadBandwidthOfWritesApproachesPayloadOverPayloadPlusOverhead) {
  for (const std::int64_t payload : {128, 256}) {
    PcieLinkSpec spec = f1_link();
    spec.max_payload = Bytes{payload};
    spec.lanes = 8;  // so that the user's data path is no limit at either payload
    const double bound = raw(3, 8) * static_cast<double>(payload) / static_cast<double>(payload + 30);
    const double rate = run_link(spec, {.writes = 2000}).write_gbps;
    EXPECT_LE(rate, 1.005 * bound) << "up to 32 packets of " << payload << " bytes are done but wait for the lane";
    EXPECT_GE(rate, 0.995 * bound) << payload;
  }
}

TEST(PcieLink, ReadsPayForCompletionsAndForTheDllpsThatTheirRequestsMakeDue) {
  const PerPayload bytes;
  const double bound = raw(3, 16) * 128 / (bytes.completion + bytes.requests * (bytes.ack + bytes.update));
  const double rate = run_link(f1_link(), {.reads = 4000}).read_gbps;
  EXPECT_LE(rate, bound);
  EXPECT_GE(rate, 0.98 * bound);
}

TEST(PcieLink, BothDirectionsAtOnceShareTheWayUpWithRequestsAndAcks) {
  const PerPayload bytes;
  const auto run = run_link(f1_link(), {.reads = 4000, .writes = 4000});
  const double up = raw(3, 16) * 128 / (bytes.write + bytes.request + bytes.ack);
  EXPECT_LE(run.write_gbps, 1.005 * up) << "reads were done a little earlier";
  EXPECT_GE(run.write_gbps, 0.98 * up);
}

TEST(PcieLink, IsNearWhatF1IsSaidToReach) {
  const auto read = run_link(f1_link(), {.reads = 4000}).read_gbps;
  const auto write = run_link(f1_link(), {.writes = 4000}).write_gbps;
  EXPECT_THAT(read, DoubleNear(11.89, 0.15 * 11.89)) << "stacc fig. 8, choi2019 5.3";
  EXPECT_THAT(write, DoubleNear(11.89, 0.15 * 11.89));
  const auto both = run_link(f1_link(), {.reads = 4000, .writes = 4000});
  EXPECT_THAT(both.write_gbps, DoubleNear(11.36, 0.15 * 11.36)) << "stacc table IV: 1370 images in each direction";
}

TEST(PcieLink, FewTagsHoldReadsToWhatIsUnderWayInARoundTrip) {
  for (const int tags : {1, 2, 4, 8}) {
    PcieLinkSpec spec = f1_link();
    spec.tags = tags;
    // A tag comes back when the last of its four completions has been handed on.
    const double round_trip = 1e-6 + (30 + 4 * 154) / (raw(3, 16) * 1e9);
    const double bound = tags * 512 / round_trip * 1e-9;
    const double rate = run_link(spec, {.reads = 400}).read_gbps;
    EXPECT_NEAR(rate, bound, 0.04 * bound) << tags;
  }
}

TEST(PcieLink, RoundTripIsThePlatformsAndTheBytesOnTheWire) {
  for (const int lanes : {16, 1})
    for (const Time round_trip : {Time::ns(700), Time::us(1), Time::us(3)}) {
      PcieLinkSpec spec = f1_link();
      spec.lanes = lanes;
      spec.round_trip = round_trip;
      const double wire = (30 + 26 + 64) / (raw(3, lanes) * 1e9);
      const Time measured = run_link(spec, {.reads = 1, .read_words = 1}).first_word;
      EXPECT_NEAR(measured.seconds(), round_trip.seconds() + wire, 10e-9)
          << "two cycles of the user clock and a little";
    }
}

TEST(PcieLink, HalfTheLanesNeverSpeedAnythingUp) {
  for (const Traffic& traffic : {Traffic{.reads = 300}, Traffic{.writes = 300}, Traffic{.reads = 300, .writes = 300},
                                 Traffic{.reads = 500, .read_words = 1}, Traffic{.writes = 500, .write_words = 3}}) {
    double read_before = 1e9;
    double write_before = 1e9;
    for (int lanes = 16; lanes >= 1; lanes /= 2) {
      PcieLinkSpec spec = f1_link();
      spec.lanes = lanes;
      const auto run = run_link(spec, traffic);
      EXPECT_LE(run.read_gbps, read_before);
      EXPECT_LE(run.write_gbps, write_before);
      read_before = run.read_gbps;
      write_before = run.write_gbps;
    }
  }
}

TEST(PcieLink, HalfTheLanesHalveARateThatTheLinkBounds) {
  PcieLinkSpec spec = f1_link();
  const auto whole = run_link(spec, {.reads = 3000, .writes = 3000});
  spec.lanes = 8;
  const auto half = run_link(spec, {.reads = 3000, .writes = 3000});
  EXPECT_NEAR(half.write_gbps / whole.write_gbps, 0.5, 0.01);
}

TEST(PcieLink, LosesNoCreditNoTagAndNoByte) {
  for (const std::int64_t payload : {128, 256})
    for (const int credits : {1, 3, 64}) {
      PcieLinkSpec spec = f1_link();
      spec.max_payload = Bytes{payload};
      spec.posted_header_credits = credits;
      spec.nonposted_header_credits = credits;
      spec.posted_data_credits = static_cast<int>(credits * payload / 16);
      const auto run = run_link(spec, {.reads = 200, .writes = 200, .read_words = 17, .write_words = 9, .seed = 7});
      EXPECT_EQ(lost(spec, run), "");
    }
}

TEST(PcieLink, EveryByteOnTheWireIsAccountedFor) {
  // 100 writes of 1024 bytes: 800 packets up; 266 Acks and 266 updates down.
  const auto run = run_link(f1_link(), {.writes = 100});
  EXPECT_EQ(run.up_wire_bytes, 800U * 158);
  EXPECT_EQ(run.down_wire_bytes, 266U * 8 * 2);
}

TEST(PcieLink, TheSumOfAPartsTimesIsItsLifetime) {
  const auto run = run_link(f1_link(), {.reads = 100, .writes = 100});
  for (const auto& actor : run.report.actors)
    EXPECT_EQ(actor.busy + actor.starved + actor.blocked, actor.lifetime) << actor.name;
}

TEST(PcieLink, NarrowUserDataPathTakesTwoCyclesAWord) {
  PcieLinkSpec spec = f1_link();
  spec.generation = 4;
  spec.user_width = Bytes{32};
  const double rate = run_link(spec, {.writes = 1000}).write_gbps;
  EXPECT_LE(rate, 8.0) << "256 bit at 250 MHz";
  EXPECT_GE(rate, 7.8);
}

TEST(PcieLink, RefusesWhatItCannotBe) {
  PcieLinkSpec fast = f1_link();
  fast.round_trip = Time::ns(300);
  EXPECT_THAT([&] { run_link(fast, {.reads = 1}); },
              ThrowsMessage<Error>(HasSubstr("a link's round trip: expected more than")));
  PcieLinkSpec large = f1_link();
  large.max_payload = Bytes{8192};
  EXPECT_THAT([&] { run_link(large, {.reads = 1}); },
              ThrowsMessage<Error>(HasSubstr("a link's largest payload: expected at most 4096 B")));
}

}  // namespace
}  // namespace isthmus::fabric
