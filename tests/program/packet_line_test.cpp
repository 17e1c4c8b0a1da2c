// Lines between two sockets of this machine, and the neighbour that tests what is at their other end.
#include "program/packet_line.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "isthmus/base/error.hpp"
#include "program/line_tester.hpp"

namespace isthmus::program {
namespace {

constexpr std::size_t kLargest = 1500;

/// Every transport that this machine lets us have.
std::vector<PacketLine> lines() {
  std::vector<PacketLine> all;
  all.push_back(PacketLine::open("unix", kLargest));
  try {
    all.push_back(PacketLine::open("veth", kLargest));
  } catch (const Error&) {  // many systems refuse
  }
  return all;
}

std::size_t length_of(int packet) {
  return 60 + static_cast<std::size_t>(packet) * 97 % 1440;
}

/// What comes back as it went out.
Packets packets() {
  return {.most = kLargest,
          .length = length_of,
          .fill =
              [](int packet, std::span<std::byte> bytes) {
                std::mt19937 random(static_cast<unsigned>(packet));
                for (std::byte& each : bytes) each = static_cast<std::byte>(random());
              },
          .reference = [](std::uint64_t, std::vector<std::byte>&) {}};
}

/// Sends back what comes, but for what `keeps` says, until the tester has gone.
template <class Keeps>
void send_back(const PacketLine& line, const LineTester& tester, const Keeps& keeps) {
  PacketBatch batch(kLargest);
  int packet = 0;
  while (!tester.over()) {
    const std::size_t count = receive(line.inside(), batch);
    if (count == 0) wait_for_packets(line.inside());
    for (std::size_t i = 0; i < count; ++i) {
      if (keeps(packet++)) continue;
      const PacketBytes bytes = batch.packet(i);
      while (send(line.inside(), {&bytes, 1}) == 0 && !tester.over()) std::this_thread::yield();
    }
  }
}

template <class Keeps>
PacketTally tally_of(const PacketLine& line, int count, const Keeps& keeps) {
  const Packets all = packets();
  PacketChecker checker(all, count, {});
  LineTester tester(line, all, checker, count);
  std::jthread other([&] { send_back(line, tester, keeps); });
  tester.run();
  EXPECT_FALSE(checker.difference());
  return checker.tally();
}

TEST(PacketLine, CarriesEachPacketAsItIsAndInOrder) {
  for (const PacketLine& line : lines()) {
    const PacketTally tally = tally_of(line, 3000, [](int) { return false; });
    EXPECT_EQ(tally.received, 3000) << line.transport();
    EXPECT_TRUE(tally.whole()) << line.transport();
    EXPECT_EQ(line.dropped(), 0) << line.transport();
  }
}

TEST(PacketLine, LosesWhatTheOtherEndKeepsAndTheTesterSaysSo) {
  for (const PacketLine& line : lines()) {
    const PacketTally tally = tally_of(line, 1000, [](int packet) { return packet % 250 == 100; });
    EXPECT_EQ(tally.lost, 4) << line.transport();
    EXPECT_EQ(tally.reordered, 0) << line.transport();
  }
}

TEST(PacketLine, OfInterfacesCountsWhatItsReaderLeavesLying) {
  auto all = lines();
  if (all.size() < 2) GTEST_SKIP() << "no network interfaces of our own here";
  const PacketLine& line = all.back();
  const std::vector<std::byte> bytes(kLargest, std::byte{2});
  const PacketBytes packet = bytes;
  int sent = 0;
  for (int i = 0; i < 20000; ++i) sent += static_cast<int>(send(line.outside(), {&packet, 1}));
  PacketBatch batch(kLargest);
  int came = 0;
  for (std::size_t count = 1; count > 0;) came += static_cast<int>(count = receive(line.inside(), batch));
  EXPECT_LT(came, sent);
  EXPECT_EQ(line.dropped(), sent - came);
}

TEST(PacketLine, RefusesAPacketThatItsReaderHasNoRoomFor) {
  const PacketLine line = PacketLine::open("unix", kLargest);
  const std::vector<std::byte> bytes(kLargest + 1);
  const PacketBytes packet = bytes;
  ASSERT_EQ(send(line.outside(), {&packet, 1}), 1U);
  PacketBatch batch(kLargest);
  EXPECT_THAT([&] { receive(line.inside(), batch); }, testing::ThrowsMessage<Error>(testing::HasSubstr("1500 B")));
}

}  // namespace
}  // namespace isthmus::program
