#pragma once

#include <cstdint>

/// AES-256 in plain C++ (FIPS 197), which HLS tools turn into circuits: constant bounds, no library. On threads and
/// models aes256_ctr.hpp takes OpenSSL's.
namespace isthmus::plain {

inline constexpr int kAesRounds = 14;

/// The key of each round, as bytes in the order of the state.
struct Aes256Schedule {
  std::uint8_t bytes[kAesRounds + 1][16];
};

/// FIPS 197, 5.1.1: the inverse in GF(2^8), and an affine transformation of it.
struct AesSbox {
  std::uint8_t of[256];
};

/// Times x in GF(2^8) (FIPS 197, 4.2.1).
constexpr std::uint8_t aes_times_x(std::uint8_t value) {
  return static_cast<std::uint8_t>((value << 1) ^ ((value & 0x80) != 0 ? 0x1b : 0));
}

constexpr AesSbox aes_make_sbox() {
  AesSbox box{};
  // p runs through all powers of 3, q through those of its inverse.
  std::uint8_t p = 1;
  std::uint8_t q = 1;
  for (int i = 0; i < 255; ++i) {
    p = static_cast<std::uint8_t>(p ^ aes_times_x(p));
    q = static_cast<std::uint8_t>(q ^ (q << 1));
    q = static_cast<std::uint8_t>(q ^ (q << 2));
    q = static_cast<std::uint8_t>(q ^ (q << 4));
    if ((q & 0x80) != 0) q = static_cast<std::uint8_t>(q ^ 0x09);
    std::uint8_t value = 0x63;
    for (int turn = 0; turn < 5; ++turn)
      value = static_cast<std::uint8_t>(value ^ (q << turn) ^ (turn == 0 ? 0 : q >> (8 - turn)));
    box.of[p] = value;
  }
  box.of[0] = 0x63;
  return box;
}
inline constexpr AesSbox kAesSbox = aes_make_sbox();

/// FIPS 197, 5.2.
constexpr Aes256Schedule aes256_expand(const std::uint8_t* key) {
  Aes256Schedule schedule{};
  for (int i = 0; i < 32; ++i) schedule.bytes[i / 16][i % 16] = key[i];
  std::uint8_t round = 1;
  for (int word = 8; word < 4 * (kAesRounds + 1); ++word) {
    std::uint8_t next[4] = {};
    for (int i = 0; i < 4; ++i) next[i] = schedule.bytes[(word - 1) / 4][(word - 1) % 4 * 4 + i];
    if (word % 8 == 0) {
      const std::uint8_t first = next[0];
      for (int i = 0; i < 3; ++i) next[i] = kAesSbox.of[next[i + 1]];
      next[3] = kAesSbox.of[first];
      next[0] = static_cast<std::uint8_t>(next[0] ^ round);
      round = aes_times_x(round);
    } else if (word % 8 == 4) {
      for (std::uint8_t& byte : next) byte = kAesSbox.of[byte];
    }
    for (int i = 0; i < 4; ++i)
      schedule.bytes[word / 4][word % 4 * 4 + i] =
          static_cast<std::uint8_t>(schedule.bytes[(word - 8) / 4][(word - 8) % 4 * 4 + i] ^ next[i]);
  }
  return schedule;
}

/// SubBytes and ShiftRows (FIPS 197, 5.1.1, 5.1.2): row r of the state moves r columns to the left.
constexpr void aes_substitute(const std::uint8_t* state, std::uint8_t* to) {
  for (int column = 0; column < 4; ++column)
    for (int row = 0; row < 4; ++row) to[column * 4 + row] = kAesSbox.of[state[(column + row) % 4 * 4 + row]];
}

/// MixColumns (FIPS 197, 5.1.3).
constexpr void aes_mix(std::uint8_t* state) {
  for (int column = 0; column < 4; ++column) {
    std::uint8_t* const c = state + column * 4;
    const auto all = static_cast<std::uint8_t>(c[0] ^ c[1] ^ c[2] ^ c[3]);
    const std::uint8_t first = c[0];
    for (int row = 0; row < 4; ++row) {
      const std::uint8_t below = row == 3 ? first : c[row + 1];
      c[row] = static_cast<std::uint8_t>(c[row] ^ all ^ aes_times_x(static_cast<std::uint8_t>(c[row] ^ below)));
    }
  }
}

/// Encrypts 16 bytes in place (FIPS 197, 5.1).
constexpr void aes256_encrypt(const Aes256Schedule& schedule, std::uint8_t* block) {
  for (int i = 0; i < 16; ++i) block[i] = static_cast<std::uint8_t>(block[i] ^ schedule.bytes[0][i]);
  for (int round = 1; round <= kAesRounds; ++round) {
    std::uint8_t next[16] = {};
    aes_substitute(block, next);
    if (round < kAesRounds) aes_mix(next);
    for (int i = 0; i < 16; ++i) block[i] = static_cast<std::uint8_t>(next[i] ^ schedule.bytes[round][i]);
  }
}

}  // namespace isthmus::plain
