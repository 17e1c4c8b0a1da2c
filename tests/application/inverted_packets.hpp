#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "isthmus/application/packets.hpp"

/// Packets of many lengths, of which an application turns every bit over.
namespace isthmus::program {

inline void invert(std::span<std::byte> bytes) {
  for (std::byte& each : bytes) each = ~each;
}

/// The byte at `place` of a packet.
inline std::byte byte_of(std::uint64_t packet, std::size_t place) {
  return static_cast<std::byte>(place * 13 + packet * 101);
}

inline void fill_packet(std::uint64_t packet, std::span<std::byte> bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = byte_of(packet, i);
}

/// 64 B to 1500 B.
inline std::size_t length_of(int packet) {
  return 64 + static_cast<std::size_t>(packet) * 37 % 1437;
}

inline Packets inverted_packets(std::size_t most, std::function<std::size_t(int)> length) {
  Packets packets{.most = most, .length = std::move(length)};
  packets.fill = fill_packet;
  packets.reference = [](std::uint64_t, std::vector<std::byte>& bytes) { invert(bytes); };
  return packets;
}

}  // namespace isthmus::program
