#include "isthmus/stream/aes256_ctr.hpp"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace isthmus {
namespace {

std::vector<std::uint8_t> bytes_of(const std::string& hex) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

template <std::size_t Size>
std::array<std::uint8_t, Size> block_of(const std::string& hex) {
  std::array<std::uint8_t, Size> block{};
  const auto bytes = bytes_of(hex);
  std::copy(bytes.begin(), bytes.end(), block.begin());
  return block;
}

// NIST SP 800-38A, F.5.5 CTR-AES256.Encrypt.
const Aes256Key kKey = block_of<32>("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4");
const CounterBlock kFirst = block_of<16>("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
const std::string kPlain =
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";
const std::string kCipher =
    "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
    "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6";

std::vector<std::byte> as_bytes(const std::vector<std::uint8_t>& values) {
  std::vector<std::byte> bytes(values.size());
  std::memcpy(bytes.data(), values.data(), values.size());
  return bytes;
}

TEST(Aes256Ctr, GivesTheVectorsOfNist) {
  auto bytes = as_bytes(bytes_of(kPlain));
  aes256_ctr(kKey, kFirst, bytes);
  EXPECT_EQ(bytes, as_bytes(bytes_of(kCipher)));
}

TEST(Aes256Ctr, InPlainCppGivesTheVectorsOfNist) {
  auto bytes = as_bytes(bytes_of(kPlain));
  plain::aes256_ctr(kKey, kFirst, bytes.data(), bytes.size());
  EXPECT_EQ(bytes, as_bytes(bytes_of(kCipher)));
}

TEST(Aes256Ctr, InPlainCppIsEvaluatedByTheCompilerToo) {
  // FIPS 197, C.3.
  constexpr auto kBlock = [] {
    std::array<std::uint8_t, 32> key{};
    std::array<std::uint8_t, 16> block{};
    for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(i);
    for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<std::uint8_t>(i * 0x11);
    plain::aes256_encrypt(plain::aes256_expand(key.data()), block.data());
    return block;
  }();
  EXPECT_EQ(kBlock, block_of<16>("8ea2b7ca516745bfeafc49904b496089"));
}

/// What OpenSSL's own counter mode gives.
std::vector<std::byte> counted_by_openssl(const Aes256Key& key, const CounterBlock& first,
                                          std::vector<std::byte> bytes) {
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  int written = 0;
  auto* data = reinterpret_cast<unsigned char*>(bytes.data());
  EXPECT_EQ(EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), nullptr, key.data(), first.data()), 1);
  EXPECT_EQ(EVP_EncryptUpdate(context, data, &written, data, static_cast<int>(bytes.size())), 1);
  EVP_CIPHER_CTX_free(context);
  return bytes;
}

template <std::size_t Size>
rc::Gen<std::array<std::uint8_t, Size>> any_block() {
  return rc::gen::container<std::array<std::uint8_t, Size>>(rc::gen::arbitrary<std::uint8_t>());
}

/// Counters near the ends of their bytes as often as others.
rc::Gen<CounterBlock> any_counter() {
  return rc::gen::apply(
      [](CounterBlock block, int ones) {
        for (std::size_t i = block.size() - static_cast<std::size_t>(ones); i + 1 < block.size(); ++i) block[i] = 0xff;
        return block;
      },
      any_block<16>(), rc::gen::inRange(1, 17));
}

RC_GTEST_PROP(Aes256Ctr, AgreesWithTheLibrarysCounterModeForAnyBytes, ()) {
  const auto key = *any_block<32>();
  const auto first = *any_counter();
  const auto size = *rc::gen::inRange<std::size_t>(0, 6000);
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + size);
  const auto expected = counted_by_openssl(key, first, bytes);
  auto plainly = bytes;
  plain::aes256_ctr(key, first, plainly.data(), plainly.size());
  aes256_ctr(key, first, bytes);
  RC_ASSERT(bytes == expected);
  RC_ASSERT(plainly == expected);
}

RC_GTEST_PROP(Aes256Ctr, PieceByPieceGivesWhatItGivesAtOnce, ()) {
  const auto key = *any_block<32>();
  Aes256Ctr cipher(key);
  for (int message = 0; message < 3; ++message) {
    const auto first = *any_counter();
    auto left = *rc::gen::inRange<std::size_t>(1, 600);
    std::vector<std::byte> whole(left * kAesBlock);
    std::vector<std::byte> pieces;
    cipher.begin(first);
    while (left > 0) {
      const auto blocks = *rc::gen::inRange<std::size_t>(1, std::min(left, Aes256Ctr::kMost / kAesBlock) + 1);
      left -= blocks;
      const auto piece = cipher.stream(blocks * kAesBlock, left == 0);
      pieces.insert(pieces.end(), piece.begin(), piece.end());
    }
    aes256_ctr(key, first, whole);
    RC_ASSERT(pieces == whole);
  }
}

}  // namespace
}  // namespace isthmus
