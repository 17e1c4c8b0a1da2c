#pragma once

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

}  // namespace isthmus::apps
