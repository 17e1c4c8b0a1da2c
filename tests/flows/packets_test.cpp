// Applications whose messages are packets: through a board's network, and on threads.
#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "application/inverted_packets.hpp"
#include "application/one_actor.hpp"
#include "isthmus/application/application.hpp"
#include "isthmus/base/error.hpp"
#include "program/target.hpp"

namespace isthmus::program {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr const char* kStratix = "model:stratix-v";

/// Turns every bit of a packet over.
struct Inverter {
  In<NetPacket> in{"in"};
  Out<NetPacket> out{"out"};
  void step() {
    NetPacket beat = in.read();
    invert(beat.data);
    out.push(beat);
  }
};

/// Drops every packet whose number is 2 modulo 5.
struct Dropper : Inverter {
  int packet = 0;
  void step() {
    NetPacket beat = in.read();
    invert(beat.data);
    if (packet % 5 != 2) out.push(beat);
    if (beat.eop) ++packet;
  }
};

/// Sends the second of each two packets first.
struct Swapper : Inverter {
  void step() {
    const std::vector<NetPacket> first = packet();
    for (const NetPacket& beat : packet()) out.push(beat);
    for (const NetPacket& beat : first) out.push(beat);
  }
  std::vector<NetPacket> packet() {
    std::vector<NetPacket> beats;
    do {
      beats.push_back(in.read());
      invert(beats.back().data);
    } while (!beats.back().eop);
    return beats;
  }
};

/// Never ends a packet.
struct Endless : Inverter {
  void step() {
    NetPacket beat = in.read();
    beat.eop = false;
    beat.len = 0;
    out.push(beat);
  }
};

template <class Actor>
ByteApplication application(std::function<std::size_t(int)> length) {
  Extras extras{.counted = "packets"};
  extras.packets = inverted_packets(9000, std::move(length));
  return {.name = "inverter",
          .summary = "",
          .input = 9024,
          .output = 9024,
          .kernel = network_to_network<Actor>("inverter"),
          .extras = std::move(extras)};
}

Run run(const std::string& target, const ByteApplication& application, int count,
        const std::vector<std::string>& overrides = {}) {
  return open_target(target, overrides)->run({.application = application, .flow = "stream", .count = count});
}

/// Seconds that so many packets of 1500 B take.
double seconds_of(int count, const std::vector<std::string>& overrides = {}) {
  const auto all = application<Inverter>([](int) { return 1500; });
  const auto result = run(kStratix, all, count, overrides);
  EXPECT_TRUE(result.right());
  return result.times.elapsed.seconds();
}

/// Packets a second, without the way in and out.
double rate(const std::vector<std::string>& overrides) {
  return 2000 / (seconds_of(4000, overrides) - seconds_of(2000, overrides));
}

TEST(NetworkPackets, OfAnyLengthComeBackRightFromABoardAndFromThreads) {
  const auto all = application<Inverter>(length_of);
  for (const char* target : {kStratix, "native"}) {
    const auto result = run(target, all, 3000);
    EXPECT_FALSE(result.difference) << target;
    ASSERT_TRUE(result.packets) << target;
    EXPECT_EQ(result.packets->received, 3000) << target;
    EXPECT_TRUE(result.packets->whole()) << target;
  }
}

TEST(NetworkPackets, ThatAreCorruptedAreDroppedAndNoOthersAndTheRunIsRight) {
  const auto all = application<Inverter>(length_of);
  const auto target = open_target(kStratix, {});
  for (const double share : {0.02, 0.4}) {
    const auto result =
        target->run({.application = all, .flow = "stream", .count = 2000, .faults = {.corrupt = share}});
    EXPECT_TRUE(result.right()) << share;
    EXPECT_GT(result.packets->lost, 0) << share;
    EXPECT_EQ(result.packets->lost, result.packets->corrupted) << share;
    EXPECT_EQ(result.packets->received, 2000 - result.packets->lost) << share;
    // On either line each packet that is there is corrupted by itself: a binomial, five standard deviations.
    const double lost = 1 - (1 - share) * (1 - share);
    EXPECT_NEAR(result.packets->lost, 2000 * lost, 5 * std::sqrt(2000 * lost * (1 - lost))) << share;
  }
}

TEST(NetworkPackets, ThatAKernelDropsBesideThoseThatAreCorruptedMakeTheRunWrong) {
  const auto all = application<Dropper>(length_of);
  const auto result =
      open_target(kStratix, {})->run({.application = all, .flow = "stream", .count = 100, .faults = {.corrupt = 0.05}});
  EXPECT_GT(result.packets->lost, result.packets->corrupted);
  EXPECT_FALSE(result.right());
}

TEST(NetworkPackets, ThatWouldNearlyAllBeCorruptedAreRefusedAsNobodyKnowsWhichComes) {
  const auto all = application<Inverter>(length_of);
  EXPECT_THAT(
      [&] {
        open_target(kStratix, {})
            ->run({.application = all, .flow = "stream", .count = 100, .faults = {.corrupt = 0.41}});
      },
      ThrowsMessage<Error>(HasSubstr("--faults corrupt: expected at most 0.4 of a network's packets, got 0.41")));
}

TEST(NetworkPackets, AreAllThereWhoeverStallsAndADeadReceiverIsSaidSo) {
  const auto all = application<Inverter>(length_of);
  for (const char* target : {kStratix, "native"}) {
    const auto result =
        open_target(target, {})->run({.application = all, .flow = "stream", .count = 500, .faults = {.stall = 0.05}});
    EXPECT_TRUE(result.right()) << target;
    EXPECT_GT(result.faults->stalled, 0) << target;
    EXPECT_THAT(
        [&] {
          open_target(target, {})->run({.application = all, .flow = "stream", .count = 500, .faults = {.die = 7}});
        },
        ThrowsMessage<Error>(HasSubstr("a dead consumer, its thread ended after 7 messages")))
        << target;
  }
}

TEST(NetworkPackets, ThatAKernelDropsAreLostAndTheRunIsNotRight) {
  for (const char* target : {kStratix, "native"}) {
    const auto result = run(target, application<Dropper>(length_of), 1000);
    ASSERT_TRUE(result.packets) << target;
    EXPECT_EQ(result.packets->lost, 200) << target;
    EXPECT_EQ(result.packets->reordered, 0) << target;
    EXPECT_FALSE(result.difference) << target;
    EXPECT_FALSE(result.right()) << target;
  }
}

TEST(NetworkPackets, ThatAKernelSendsInAnotherOrderAreCountedAndTheRunIsNotRight) {
  for (const char* target : {kStratix, "native"}) {
    const auto result = run(target, application<Swapper>(length_of), 100);
    ASSERT_TRUE(result.packets) << target;
    EXPECT_EQ(result.packets->lost, 0) << target;
    EXPECT_EQ(result.packets->reordered, 50) << target;
    EXPECT_FALSE(result.difference) << target;
    EXPECT_FALSE(result.right()) << target;
  }
}

TEST(NetworkPackets, ThatDoNotEndAreToldInOneLine) {
  const auto all = application<Endless>(length_of);
  for (const char* target : {kStratix, "native"})
    EXPECT_THAT([&] { run(target, all, 10); }, ThrowsMessage<Error>(HasSubstr("`eop` ends a packet"))) << target;
}

TEST(NetworkPackets, PassAtTheLineRateWithWhatEachAddsOnTheWire) {
  const double line = 40e9 / 8 / (1500 + 24);
  EXPECT_NEAR(rate({}), line, 0.01 * line);
  EXPECT_NEAR(rate({"network.rate=10Gbit/s"}), line / 4, 0.01 * line / 4);
}

TEST(NetworkPackets, PassAtTheKernelsPaceWhereThatIsSlower) {
  const double kernel = 100e6 / 47;
  EXPECT_NEAR(rate({"kernel.clock=100MHz"}), kernel, 0.02 * kernel);
}

TEST(NetworkPackets, TakeTwiceTheTimeForTwiceTheCount) {
  EXPECT_NEAR(seconds_of(8000) / seconds_of(4000), 2, 0.04);
  EXPECT_NEAR(seconds_of(16000) / seconds_of(8000), 2, 0.02);
}

TEST(NetworkPackets, AtATenthOfTheLoadTakeTheLinesLatencyTwiceAndTheirTimeOnTheWire) {
  auto all = application<Inverter>([](int) { return 1500; });
  all.extras.packets->load = 0.1;
  const auto result = run(kStratix, all, 500);
  // On the wire twice, 47 beats into the kernel and out of it, and some registers.
  const double least = 2 * 11.2e-6 + 2 * 1524 * 8 / 40e9 + 47 / 200e6;
  for (const Time each : result.times.latencies) {
    EXPECT_GE(each.seconds(), least);
    EXPECT_LE(each.seconds(), least + 0.3e-6);
  }
  EXPECT_NEAR(500 / result.times.elapsed.seconds(), 0.1 * 40e9 / 8 / 1524, 0.03 * 40e9 / 8 / 1524);
}

TEST(NetworkPackets, NeedABoardWithANetwork) {
  const auto all = application<Inverter>(length_of);
  const auto f1 = open_target("model:aws-f1", {});
  EXPECT_THAT([&] { f1->require_flow(all, "stream"); },
              ThrowsMessage<Error>(AllOf(HasSubstr("aws-f1.toml"), HasSubstr("network"))));
}

}  // namespace
}  // namespace isthmus::program
