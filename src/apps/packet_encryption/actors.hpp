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

  PacketEncryptor(const Aes256Key& key, std::uint64_t first) : cipher(key), packet(first) {}

  void step() {
    pass_burst(in, out, [this](std::span<const NetPacket> from, std::span<NetPacket> to) {
      const auto beats = from.first(beats_of_packet(from));
      if (beats.front().sop) {
        cipher.begin(counter_of(packet));
        packet += kAesStreams;
      }
      cipher.expect(beats.size() * kBeatBytes, beats.back().eop);
      for (std::size_t i = 0; i < beats.size(); ++i) encrypt(beats[i], to[i]);
      return beats.size();
    });
  }

 private:
  void encrypt(const NetPacket& beat, NetPacket& to) {
    to.sop = beat.sop;
    to.eop = beat.eop;
    to.len = beat.len;
    cipher.apply(beat.data, to.data);
    if (beat.sop) std::copy_n(beat.data.begin(), kClearBytes, to.data.begin());
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
