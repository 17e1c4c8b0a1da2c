// Several actors on one network: packets stay whole and in the order of each, and nobody waits for more than one packet
// of each of the others.
#include "isthmus/stream/network_users.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "engine/plain_actors.hpp"
#include "isthmus/native.hpp"
#include "stream/fairness.hpp"

namespace isthmus {
namespace {

const Clock kClock{Frequency::mhz(200)};

/// A packet that tells whose it is.
struct Packet {
  std::uint32_t user;
  std::uint32_t number;
  std::uint32_t beats;
  bool operator==(const Packet&) const = default;
};

struct Tag {
  Packet packet;
  std::uint32_t beat;
};

/// Sends packets with pauses between their beats.
struct Sender {
  Out<NetPacket> out{"out"};
  std::vector<Packet> packets;
  std::mt19937_64 random;
  int longest_pause;
  Timer timer{};
  std::size_t next = 0;

  Sender(std::vector<Packet> some, std::uint64_t seed, int most)
      : packets(std::move(some)), random(seed), longest_pause(most) {}
  void step() {
    const Packet& packet = packets[next++];
    for (std::uint32_t beat = 0; beat < packet.beats; ++beat) {
      if (longest_pause > 0)
        timer.wait_until(timer.now() +
                         Time::ns(static_cast<std::int64_t>(random() % static_cast<unsigned>(longest_pause)) * 5));
      NetPacket& slot = out.slot();
      slot = {};
      const Tag tag{packet, beat};
      std::memcpy(slot.data.data(), &tag, sizeof(tag));
      slot.sop = beat == 0;
      slot.eop = beat + 1 == packet.beats;
    }
  }
  bool done() const { return next == packets.size(); }
};

/// Expects that the beats of a packet follow each other.
struct Taker {
  In<NetPacket> in{"in"};
  std::vector<Packet> packets{};
  std::uint32_t beat = 0;
  void step() {
    const NetPacket& came = in.read_in_place();
    Tag tag{};
    std::memcpy(&tag, came.data.data(), sizeof(tag));
    if (beat == 0) packets.push_back(tag.packet);
    EXPECT_EQ(tag.packet, packets.back());
    EXPECT_EQ(tag.beat, beat);
    EXPECT_EQ(came.sop, beat == 0);
    EXPECT_EQ(came.eop, beat + 1 == tag.packet.beats);
    beat = came.eop ? 0 : beat + 1;
  }
};

std::vector<Packet> packets_of(std::uint32_t user, std::uint32_t count, const auto& beats) {
  std::vector<Packet> packets;
  for (std::uint32_t number = 0; number < count; ++number)
    packets.push_back({.user = user, .number = number, .beats = beats()});
  return packets;
}

struct Shared {
  Taker* taker;
  std::vector<std::vector<Packet>> sent;
};

/// So many users with random packets at an arbiter.
Shared share_network(Graph& graph, std::size_t users, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  auto& arbiter = graph.add<PacketArbiter>("arbiter", {.clock = kClock}, users);
  Shared shared{.taker = &graph.add<Taker>("taker", {.clock = kClock}), .sent = {}};
  for (std::uint32_t user = 0; user < users; ++user) {
    const auto count = static_cast<std::uint32_t>(random() % 40 + 1);
    shared.sent.push_back(packets_of(user, count, [&] { return static_cast<std::uint32_t>(random() % 9 + 1); }));
    auto& sender = graph.add<Sender>("sender " + std::to_string(user), {.clock = kClock}, shared.sent.back(), random(),
                                     static_cast<int>(random() % 12));
    graph.connect(sender.out, arbiter.in[user], wire(static_cast<int>(random() % 8 + 1)));
  }
  graph.connect(arbiter.out, shared.taker->in, wire(static_cast<int>(random() % 8 + 1)));
  return shared;
}

void expect_each_in_its_order(const Shared& shared) {
  std::vector<std::vector<Packet>> came(shared.sent.size());
  for (const Packet& packet : shared.taker->packets) came[packet.user].push_back(packet);
  EXPECT_EQ(came, shared.sent);
}

TEST(NetworkUsers, SendPacketsThatStayWholeEachUsersInItsOrderOnAModelAndOnThreads) {
  constexpr std::uint64_t kDraws = 40;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    SCOPED_TRACE(seed);
    Graph model;
    const Shared modelled = share_network(model, seed % 5 + 1, seed);
    model.run();
    expect_each_in_its_order(modelled);
    Graph threads;
    const Shared threaded = share_network(threads, seed % 5 + 1, seed);
    native::run(threads, {.workers = 2});
    expect_each_in_its_order(threaded);
  }
}

TEST(NetworkUsers, OfNThatSendNoneWaitsForMoreThanNMinusOnePacketsHoweverLongThoseAre) {
  constexpr std::uint32_t kPackets = 50;
  for (const std::uint32_t users : {1U, 2U, 3U, 8U}) {
    Graph graph;
    auto& arbiter = graph.add<PacketArbiter>("arbiter", {.clock = kClock}, std::size_t{users});
    auto& taker = graph.add<Taker>("taker", {.clock = kClock});
    for (std::uint32_t user = 0; user < users; ++user) {
      const std::uint32_t beats = 1 + 16 * user;
      auto& sender = graph.add<Sender>("sender " + std::to_string(user), {.clock = kClock},
                                       packets_of(user, kPackets, [&] { return beats; }), std::uint64_t{0}, 0);
      graph.connect(sender.out, arbiter.in[user], {.depth = static_cast<int>(kPackets * beats)});
    }
    graph.connect(arbiter.out, taker.in, {.depth = 2});
    graph.run();
    std::vector<std::uint32_t> grants;
    for (const Packet& packet : taker.packets) grants.push_back(packet.user);
    expect_fair(grants, users, kPackets);
  }
}

TEST(NetworkUsers, TakePacketsInTurnEachWholeAndInOrder) {
  constexpr std::uint32_t kPackets = 100;
  for (const std::uint32_t users : {1U, 2U, 3U, 7U}) {
    Graph graph;
    std::mt19937_64 random(users);
    const auto sent = packets_of(0, kPackets, [&] { return static_cast<std::uint32_t>(random() % 9 + 1); });
    auto& sender = graph.add<Sender>("sender", {.clock = kClock}, sent, std::uint64_t{1}, 3);
    auto& dealer = graph.add<PacketDealer>("dealer", {.clock = kClock}, std::size_t{users});
    graph.connect(sender.out, dealer.in);
    std::vector<Taker*> takers;
    for (std::uint32_t user = 0; user < users; ++user) {
      takers.push_back(&graph.add<Taker>("taker " + std::to_string(user), {.clock = kClock}));
      graph.connect(dealer.out[user], takers.back()->in);
    }
    graph.run();
    std::vector<std::vector<Packet>> expected(users);
    for (std::uint32_t number = 0; number < kPackets; ++number) expected[number % users].push_back(sent[number]);
    for (std::uint32_t user = 0; user < users; ++user) EXPECT_EQ(takers[user]->packets, expected[user]) << user;
  }
}

}  // namespace
}  // namespace isthmus
