#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "isthmus/stream/aes256.hpp"

/// AES-256 in counter mode (NIST SP 800-38A, 6.5): encrypts and decrypts alike. OpenSSL's on threads and models; where
/// ISTHMUS_HLS is defined, for the vendors' HLS tools, plain C++.
namespace isthmus {

using Aes256Key = std::array<std::uint8_t, 32>;
/// The first counter block of a message: counts up as one number of 128 bit, the last byte the lowest (SP 800-38A,
/// B.1).
using CounterBlock = std::array<std::uint8_t, 16>;
inline constexpr std::size_t kAesBlock = sizeof(CounterBlock);

/// The block that is `blocks` behind.
constexpr CounterBlock counted_up(CounterBlock block, std::uint64_t blocks) {
  if (blocks <= 0xffU - block.back()) {  // as nearly always: no other byte changes
    block.back() = static_cast<std::uint8_t>(block.back() + blocks);
    return block;
  }
  for (std::size_t i = block.size(); i-- > 0 && blocks != 0;) {
    blocks += block[i];
    block[i] = static_cast<std::uint8_t>(blocks);
    blocks >>= 8U;
  }
  return block;
}

namespace plain {

/// What stands behind `aes256_ctr` in a circuit.
constexpr void aes256_ctr(const Aes256Key& key, CounterBlock counter, std::byte* bytes, std::size_t count) {
  const Aes256Schedule schedule = aes256_expand(key.data());
  for (std::size_t at = 0; at < count; at += kAesBlock) {
    CounterBlock stream = counter;
    aes256_encrypt(schedule, stream.data());
    for (std::size_t i = 0; i < kAesBlock && at + i < count; ++i) bytes[at + i] ^= static_cast<std::byte>(stream[i]);
    counter = counted_up(counter, 1);
  }
}

}  // namespace plain

/// Encrypts bytes in place, or makes the key's stream from a counter block on. Both throw Error where OpenSSL fails.
#ifdef ISTHMUS_HLS
constexpr void aes256_ctr(const Aes256Key& key, const CounterBlock& first, std::span<std::byte> bytes) {
  plain::aes256_ctr(key, first, bytes.data(), bytes.size());
}
constexpr void aes256_keystream(const Aes256Key& key, const CounterBlock& first, std::span<std::byte> stream) {
  std::ranges::fill(stream, std::byte{});
  aes256_ctr(key, first, stream);
}
#else
void aes256_ctr(const Aes256Key& key, const CounterBlock& first, std::span<std::byte> bytes);
void aes256_keystream(const Aes256Key& key, const CounterBlock& first, std::span<std::byte> stream);
#endif

/// The cipher of an actor through which messages pass piece by piece.
class Aes256Ctr {
 public:
  /// Bytes of stream that it gives at once, at most.
  static constexpr std::size_t kMost = 128 * kAesBlock;

  explicit Aes256Ctr(const Aes256Key& key) : key_(key) {}

  /// A message begins.
  void begin(const CounterBlock& first) {
    next_ = first;
    made_ = used_ = 0;
  }

  /// The stream with which the message's next bytes are to be XORed: a number of whole blocks, up to kMost. `last` says
  /// that no more come, so that none is made ahead. It stands until the next call. Throws Error where OpenSSL fails.
  std::span<const std::byte> stream(std::size_t bytes, bool last) {
    if (made_ - used_ < bytes) make(bytes, last);
    return std::span(stream_).subspan(std::exchange(used_, used_ + bytes), bytes);
  }

 private:
  /// Stream made ahead: a call of the library costs as much as some blocks do. A message's first is short, since many
  /// messages are.
  static constexpr std::size_t kFirst = 8 * kAesBlock;
  static constexpr std::size_t kUsual = 64 * kAesBlock;

  void make(std::size_t bytes, bool last) {
    const std::size_t ahead = last ? 0 : made_ == 0 ? kFirst : kUsual;
    const auto left = std::span(stream_).subspan(used_, made_ - used_);
    std::ranges::copy(left, stream_.begin());
    made_ = std::max(bytes, std::min(left.size() + ahead, kMost));
    used_ = 0;
    const auto more = std::span(stream_).first(made_).subspan(left.size());
    aes256_keystream(key_, next_, more);
    next_ = counted_up(next_, more.size() / kAesBlock);
  }

  Aes256Key key_;
  CounterBlock next_{};  ///< counter of the next block
  std::size_t made_ = 0;
  std::size_t used_ = 0;
  std::array<std::byte, kMost> stream_{};
};

}  // namespace isthmus
