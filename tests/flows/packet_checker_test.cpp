// The number of each packet that came back, although no packet carries a number.
#include "flows/packets/packet_checker.hpp"

#include <gmock/gmock.h>

#include <array>
#include <random>
#include <vector>

namespace isthmus::program {
namespace {

using Bytes = std::vector<std::byte>;

Bytes drawn(int packet) {
  std::mt19937_64 random(static_cast<std::uint64_t>(packet));
  Bytes bytes(40 + random() % 100);
  for (std::byte& each : bytes) each = static_cast<std::byte>(random());
  return bytes;
}

/// A kernel that adds to each byte how many packets it has seen before.
Bytes changed(Bytes bytes, std::uint64_t position) {
  for (std::byte& each : bytes) each = static_cast<std::byte>(std::to_integer<std::uint64_t>(each) + position);
  return bytes;
}

Packets packets() {
  return {.most = 140,
          .length = [](int packet) { return drawn(packet).size(); },
          .fill = [](int packet, std::span<std::byte> bytes) { std::ranges::copy(drawn(packet), bytes.begin()); },
          .reference = [](std::uint64_t position, std::vector<std::byte>& bytes) { bytes = changed(bytes, position); }};
}

struct Outcome {
  PacketTally tally;
  bool wrong;
};

Outcome outcome_of(const std::vector<Bytes>& came, int sent) {
  const Packets all = packets();
  PacketChecker checker(all, sent, {});
  for (const Bytes& each : came) checker.take(each);
  return {.tally = checker.tally(), .wrong = checker.difference().has_value()};
}

std::vector<Bytes> all_of(int count) {
  std::vector<Bytes> came;
  for (int i = 0; i < count; ++i) came.push_back(changed(drawn(i), static_cast<std::uint64_t>(i)));
  return came;
}

void expect(const Outcome& outcome, const std::array<int, 3>& received_lost_reordered, bool wrong) {
  EXPECT_EQ(outcome.tally.received, received_lost_reordered[0]);
  EXPECT_EQ(outcome.tally.lost, received_lost_reordered[1]);
  EXPECT_EQ(outcome.tally.reordered, received_lost_reordered[2]);
  EXPECT_EQ(outcome.wrong, wrong);
}

TEST(PacketChecker, FindsNothingWhereAllCameInOrder) {
  const Outcome outcome = outcome_of(all_of(100), 100);
  expect(outcome, {100, 0, 0}, false);
  EXPECT_TRUE(outcome.tally.whole());
}

TEST(PacketChecker, CountsWhatWasLostBehindTheKernel) {
  auto came = all_of(100);
  came.erase(came.begin() + 10, came.begin() + 13);
  came.pop_back();
  expect(outcome_of(came, 100), {96, 4, 0}, false);
}

TEST(PacketChecker, CountsWhatWasLostBeforeTheKernelThoughItsCountGoesOnWithoutThem) {
  std::vector<Bytes> came;
  for (int i = 0; i < 100; ++i)
    if (i % 30 != 29) came.push_back(changed(drawn(i), came.size()));
  expect(outcome_of(came, 100), {97, 3, 0}, false);
}

TEST(PacketChecker, CountsEachThatCameAfterALaterOne) {
  auto came = all_of(100);
  std::swap(came[20], came[21]);
  std::rotate(came.begin() + 50, came.begin() + 51, came.begin() + 55);
  const Outcome outcome = outcome_of(came, 100);
  expect(outcome, {100, 0, 2}, false);
  EXPECT_FALSE(outcome.tally.whole());
}

TEST(PacketChecker, CallsWrongWhatIsNoneOfThem) {
  for (const int at : {0, 50, 99}) {
    auto came = all_of(100);
    came[static_cast<std::size_t>(at)][39] ^= std::byte{1};
    expect(outcome_of(came, 100), {100, 0, 0}, true);
  }
}

TEST(PacketChecker, CallsWrongWhatCameTwiceOrIsTooLong) {
  auto twice = all_of(100);
  twice.insert(twice.begin() + 30, twice[29]);
  EXPECT_TRUE(outcome_of(twice, 100).wrong);
  auto longer = all_of(100);
  longer[7].push_back(std::byte{});
  EXPECT_TRUE(outcome_of(longer, 100).wrong);
}

TEST(PacketChecker, CallsWrongAKernelThatDoesNothing) {
  std::vector<Bytes> came;
  for (int i = 0; i < 100; ++i) came.push_back(drawn(i));
  EXPECT_TRUE(outcome_of(came, 100).wrong);
}

}  // namespace
}  // namespace isthmus::program
