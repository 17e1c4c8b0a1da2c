#include "isthmus/stream/aes256_ctr.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

#include "isthmus/base/error.hpp"

namespace isthmus {
namespace {

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};

/// OpenSSL with a key that is kept: to expand it takes longer than a short message does. Blocks are encrypted one by
/// one (ECB), so that a new counter is no new message to the library.
class Encryptor {
 public:
  void encrypt(const Aes256Key& key, std::span<std::byte> blocks) {
    if (context_ == nullptr || key != key_) begin(key);
    auto* bytes = reinterpret_cast<unsigned char*>(blocks.data());
    int written = 0;
    if (EVP_EncryptUpdate(context_.get(), bytes, &written, bytes, static_cast<int>(blocks.size())) != 1 ||
        written != static_cast<int>(blocks.size()))
      throw Error("OpenSSL: AES-256 could not be computed");
  }

 private:
  void begin(const Aes256Key& key) {
    context_.reset(EVP_CIPHER_CTX_new());
    if (context_ == nullptr ||
        EVP_EncryptInit_ex(context_.get(), EVP_aes_256_ecb(), nullptr, key.data(), nullptr) != 1 ||
        EVP_CIPHER_CTX_set_padding(context_.get(), 0) != 1)
      throw Error("OpenSSL: AES-256 could not be set up");
    key_ = key;
  }

  std::unique_ptr<EVP_CIPHER_CTX, FreeContext> context_;
  Aes256Key key_{};
};

void write_counters(const CounterBlock& first, std::span<std::byte> blocks) {
  static_assert(std::endian::native == std::endian::little, "a block's first byte is its highest");
  using Halves = std::array<std::uint64_t, 2>;
  const auto reversed = std::bit_cast<Halves>(first);
  std::uint64_t high = __builtin_bswap64(reversed[0]);
  std::uint64_t low = __builtin_bswap64(reversed[1]);
  for (std::size_t at = 0; at < blocks.size(); at += kAesBlock) {
    const Halves block{__builtin_bswap64(high), __builtin_bswap64(low)};
    std::memcpy(blocks.data() + at, block.data(), kAesBlock);
    if (++low == 0) ++high;
  }
}

void whole_blocks(const Aes256Key& key, const CounterBlock& first, std::span<std::byte> stream) {
  thread_local Encryptor encryptor;
  write_counters(first, stream);
  encryptor.encrypt(key, stream);
}

}  // namespace

void aes256_keystream(const Aes256Key& key, const CounterBlock& first, std::span<std::byte> stream) {
  const std::size_t whole = stream.size() / kAesBlock * kAesBlock;
  if (whole > 0) whole_blocks(key, first, stream.first(whole));
  if (whole == stream.size()) return;
  std::array<std::byte, kAesBlock> last{};
  whole_blocks(key, counted_up(first, whole / kAesBlock), last);
  std::ranges::copy(std::span(last).first(stream.size() - whole), stream.subspan(whole).begin());
}

#ifndef ISTHMUS_HLS
void aes256_ctr(const Aes256Key& key, const CounterBlock& first, std::span<std::byte> bytes) {
  // As much as the first-level cache holds in addition to the data.
  constexpr std::size_t kPiece = 4096;
  std::array<std::byte, kPiece> stream;
  for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
    const auto piece = bytes.subspan(at, std::min(kPiece, bytes.size() - at));
    aes256_keystream(key, counted_up(first, at / kAesBlock), std::span(stream).first(piece.size()));
    for (std::size_t i = 0; i < piece.size(); ++i) piece[i] ^= stream[i];
  }
}
#endif

}  // namespace isthmus
