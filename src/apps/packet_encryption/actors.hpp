#pragma once

#include <array>
#include <cstdint>

#include "apps/packet_encryption/counter.hpp"
#include "isthmus/stream.hpp"

/// The encryption of packets as they pass (stacc VI-B3): AES engines side by side, each with every other packet.
namespace isthmus::apps {

/// Hands packets to the engines in turn.
struct PacketSplitter {
  In<NetPacket> in{"in"};
  std::array<Out<NetPacket>, kAesStreams> engines;
  std::uint8_t turn = 0;

  /// A packet, a beat a cycle.
  void step() {
    Out<NetPacket>& engine = engines[turn];
    bool ended = false;
    while (!ended) {
      const NetPacket& beat = in.read_in_place();
      engine.push(beat);
      ended = beat.eop;
    }
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
    const NetPacket& beat = in.read_in_place();
    NetPacket& to = out.slot();
    to.sop = beat.sop;
    to.eop = beat.eop;
    to.len = beat.len;
    if (beat.sop) {
      cipher.begin(counter_of(packet));
      packet += kAesStreams;
    }
    cipher.apply(beat.data, to.data);
    if (beat.sop)
      for (std::size_t i = 0; i < kClearBytes; ++i) to.data[i] = beat.data[i];
  }
};

/// Takes them back in the order in which they came.
struct PacketMerger {
  std::array<In<NetPacket>, kAesStreams> engines;
  Out<NetPacket> out{"out"};
  std::uint8_t turn = 0;

  /// A packet, a beat a cycle.
  void step() {
    In<NetPacket>& engine = engines[turn];
    bool ended = false;
    while (!ended) {
      const NetPacket& beat = engine.read_in_place();
      out.push(beat);
      ended = beat.eop;
    }
    turn = (turn + 1U) % kAesStreams;
  }
};

}  // namespace isthmus::apps
