#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>

#include "apps/packet_encryption/counter.hpp"
#include "isthmus/stream.hpp"
#include "isthmus/stream/packet_beats.hpp"

/// The encryption of packets as they pass (stacc VI-B3): AES engines side by side, each with every other packet.
namespace isthmus::apps {

/// Moves a packet, a beat a cycle.
inline void pass_packet(In<NetPacket>& in, Out<NetPacket>& out) {
  bool ended = false;
  while (!ended)
    pass_burst(in, out, [&ended](std::span<const NetPacket> from, std::span<NetPacket> to) {
      const auto beats = from.first(beats_of_packet(from));
      std::memcpy(to.data(), beats.data(), beats.size_bytes());
      ended = beats.back().eop;
      return beats.size();
    });
}

/// Hands packets to the engines in turn.
struct PacketSplitter {
  In<NetPacket> in{"in"};
  std::array<Out<NetPacket>, kAesStreams> engines;
  std::uint8_t turn = 0;

  void step() {
    pass_packet(in, engines[turn]);
    turn = (turn + 1U) % kAesStreams;
  }
};

/// Encrypts every other packet: a block of 128 bit a cycle, two cycles a beat.
struct PacketEncryptor {
  static constexpr int initiation_interval = kBeatBytes / kAesBlock;

  In<NetPacket> in{"in"};
  Out<NetPacket> out{"out"};

  Aes256Ctr cipher;
  std::uint64_t packet;  ///< number of the next packet
  std::uint64_t engines;

  /// Engine `number` of `all`, which take packets in turn.
  PacketEncryptor(const Aes256Key& key, std::uint64_t number, std::uint64_t all)
      : cipher(key), packet(number), engines(all) {}

  void step() {
    pass_burst(in, out, [this](std::span<const NetPacket> from, std::span<NetPacket> to) {
      const auto at_once = from.first(std::min(from.size(), Aes256Ctr::kMost / kBeatBytes));
      const auto beats = at_once.first(beats_of_packet(at_once));
      if (beats.front().sop) {
        cipher.begin(counter_of(packet));
        packet += engines;
      }
      const auto stream = cipher.stream(beats.size() * kBeatBytes, beats.back().eop);
      for (std::size_t i = 0; i < beats.size(); ++i)
        encrypt(beats[i], stream.subspan(i * kBeatBytes).first<kBeatBytes>(), to[i]);
      if (beats.front().sop) std::copy_n(beats.front().data.begin(), kClearBytes, to.front().data.begin());
      return beats.size();
    });
  }

 private:
  static void encrypt(const NetPacket& __restrict beat, std::span<const std::byte, kBeatBytes> stream,
                      NetPacket& __restrict to) {
    to.sop = beat.sop;
    to.eop = beat.eop;
    to.len = beat.len;
    for (std::size_t i = 0; i < kBeatBytes; ++i) to.data[i] = beat.data[i] ^ stream[i];
  }
};

/// Takes them back in the order in which they came.
struct PacketMerger {
  std::array<In<NetPacket>, kAesStreams> engines;
  Out<NetPacket> out{"out"};
  std::uint8_t turn = 0;

  void step() {
    pass_packet(engines[turn], out);
    turn = (turn + 1U) % kAesStreams;
  }
};

}  // namespace isthmus::apps
