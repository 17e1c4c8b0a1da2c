#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace isthmus::bench {

/// The buffers of the hand-over: 4 MiB each, a pool of eight.
inline constexpr std::size_t kHandedBytes = std::size_t{4} << 20;
inline constexpr std::uint64_t kHandedKib = kHandedBytes / 1024;  ///< what is counted
inline constexpr int kHandedBuffers = 8;

/// How deep channels of 4 KiB tokens are.
inline constexpr int kPages = 16;

/// Writes every byte of a buffer.
inline void fill_bytes(std::span<std::byte> bytes, std::uint64_t value) {
  std::memset(bytes.data(), static_cast<int>(value & 0xff), bytes.size());
}

/// Reads every byte of a buffer, eight at a time.
inline std::uint64_t sum_bytes(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof(word));
    sum += word;
  }
  return sum;
}

/// What the sums of buffers `count` down to 1 come to.
inline std::uint64_t expected_handed_sum(std::uint64_t count) {
  std::uint64_t sum = 0;
  for (std::uint64_t value = 1; value <= count; ++value)
    sum += (value & 0xff) * 0x0101010101010101U * (kHandedBytes / sizeof(std::uint64_t));
  return sum;
}

}  // namespace isthmus::bench
