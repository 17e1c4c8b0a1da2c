// Beats of packets, side by side.
#include "isthmus/stream/packet_beats.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace isthmus {
namespace {

TEST(PacketBeats, EndWithTheFirstPacketWhereverItEndsOrAreAll) {
  for (std::size_t count = 0; count <= 40; ++count) {
    std::vector<NetPacket> beats(count);
    EXPECT_EQ(beats_of_packet(beats), count);
    for (std::size_t end = count; end-- > 0;) {  // those behind it end packets too
      beats[end].eop = true;
      EXPECT_EQ(beats_of_packet(beats), end + 1) << count;
    }
  }
}

TEST(PacketBeats, TellEachNumberOfBytesInFiveBits) {
  for (std::size_t bytes = 1; bytes <= kBeatBytes; ++bytes) {
    NetPacket beat{};
    beat.len = len_of(bytes);
    EXPECT_LT(beat.len, 32);
    EXPECT_EQ(bytes_of(beat), bytes);
  }
  EXPECT_EQ(len_of(32), 0);
}

}  // namespace
}  // namespace isthmus
