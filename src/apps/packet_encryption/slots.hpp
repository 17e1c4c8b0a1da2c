#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "isthmus/stream.hpp"

/// A message of packets as a kernel in the offload flow reads it: equal slots, each a block that says which packet it
/// holds, and the packet.
namespace isthmus::apps {

struct SlotHead {
  std::uint64_t packet;
  std::uint32_t bytes;
  std::uint32_t unused;
};
static_assert(sizeof(SlotHead) == kAesBlock);

/// Whole words of 512 bit.
constexpr std::size_t slot_bytes(std::size_t largest) {
  constexpr auto kWord = static_cast<std::size_t>(kWordBytes);
  return (sizeof(SlotHead) + largest + kWord - 1) / kWord * kWord;
}

inline SlotHead head_of(std::span<const std::byte> slot) {
  SlotHead head;
  std::memcpy(&head, slot.data(), sizeof(head));
  return head;
}

/// Writes a slot's head, and nothing behind it; returns where its packet goes.
inline std::span<std::byte> begin_slot(std::span<std::byte> slot, std::uint64_t packet, std::size_t bytes) {
  std::ranges::fill(slot, std::byte{});
  const SlotHead head{.packet = packet, .bytes = static_cast<std::uint32_t>(bytes), .unused = 0};
  std::memcpy(slot.data(), &head, sizeof(head));
  return slot.subspan(sizeof(head), bytes);
}

}  // namespace isthmus::apps
