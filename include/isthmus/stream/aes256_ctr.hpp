#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

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

/// The key's stream from a counter block on, made with OpenSSL. Throws Error where that fails.
void aes256_keystream(const Aes256Key& key, const CounterBlock& first, std::span<std::byte> stream);

/// Encrypts bytes in place. Throws Error where OpenSSL fails.
#ifdef ISTHMUS_HLS
constexpr void aes256_ctr(const Aes256Key& key, const CounterBlock& first, std::span<std::byte> bytes) {
  plain::aes256_ctr(key, first, bytes.data(), bytes.size());
}
#else
void aes256_ctr(const Aes256Key& key, const CounterBlock& first, std::span<std::byte> bytes);
#endif

/// The cipher of an actor through which messages pass beat by beat.
class Aes256Ctr {
 public:
  explicit Aes256Ctr(const Aes256Key& key) : key_(key) {}

  /// A message begins.
  void begin(const CounterBlock& first) {
    next_ = first;
    made_ = used_ = expected_ = 0;
    known_ = false;
  }

  /// So many more of its bytes come at least, or, where they are its last, no more: who says so before `apply` spares
  /// the library calls, and blocks that nobody needs.
  void expect(std::size_t bytes, bool last) {
    expected_ = bytes > made_ - used_ ? bytes - (made_ - used_) : 0;
    known_ = last;
  }

  /// Encrypts its next bytes from `in` to `out`: a number of whole blocks, but for the message's last.
  template <std::size_t Bytes>
  void apply(const std::array<std::byte, Bytes>& in, std::array<std::byte, Bytes>& out) {
    static_assert(Bytes % kAesBlock == 0 && kMost % Bytes == 0, "a beat is of whole blocks, and the stream of beats");
#ifdef ISTHMUS_HLS
    out = in;
    aes256_ctr(key_, next_, out);
    next_ = counted_up(next_, Bytes / kAesBlock);
#else
    if (used_ == made_) make(Bytes);
    const std::byte* const stream = stream_.data() + used_;
    for (std::size_t i = 0; i < Bytes; ++i) out[i] = in[i] ^ stream[i];
    used_ += Bytes;
#endif
  }

 private:
  /// Stream made at once: a call of the library costs as much as some blocks do. A message's first is short, since
  /// many messages are.
  static constexpr std::size_t kFirst = 8 * kAesBlock;
  static constexpr std::size_t kMost = 128 * kAesBlock;
  static constexpr std::size_t kUsual = 64 * kAesBlock;

  void make(std::size_t beat);

  Aes256Key key_;
  CounterBlock next_{};  ///< counter of the next block
  std::size_t made_ = 0;
  std::size_t used_ = 0;
  std::size_t expected_ = 0;  ///< bytes of what is not made yet
  bool known_ = false;        ///< that no more come
  std::array<std::byte, kMost> stream_{};
};

}  // namespace isthmus
