// AES-256 in counter mode over slots of packets (stacc VI-B3; FIPS 197, NIST SP 800-38A 6.5). A slot is a block that
// says which packet it holds and of how many bytes, and the packet, of which the header of Ethernet stays in the clear.
// A work item has a block of 16 bytes; the first of a slot is its head. `schedule` holds the keys of the 15 rounds. A
// word of the state is a column, its lowest byte the first row.
#define ROUNDS 14
#define CLEAR 14

typedef struct {
  ulong packet;
  uint bytes;
  uint unused;
} Head;

// What SubBytes and MixColumns make of a byte of the first row; of another row the same, turned by as many bytes. The
// second byte is that of SubBytes alone.
__constant uint mixed[256] = {
    0xa56363c6, 0x847c7cf8, 0x997777ee, 0x8d7b7bf6, 0x0df2f2ff, 0xbd6b6bd6, 0xb16f6fde, 0x54c5c591, 0x50303060,
    0x03010102, 0xa96767ce, 0x7d2b2b56, 0x19fefee7, 0x62d7d7b5, 0xe6abab4d, 0x9a7676ec, 0x45caca8f, 0x9d82821f,
    0x40c9c989, 0x877d7dfa, 0x15fafaef, 0xeb5959b2, 0xc947478e, 0x0bf0f0fb, 0xecadad41, 0x67d4d4b3, 0xfda2a25f,
    0xeaafaf45, 0xbf9c9c23, 0xf7a4a453, 0x967272e4, 0x5bc0c09b, 0xc2b7b775, 0x1cfdfde1, 0xae93933d, 0x6a26264c,
    0x5a36366c, 0x413f3f7e, 0x02f7f7f5, 0x4fcccc83, 0x5c343468, 0xf4a5a551, 0x34e5e5d1, 0x08f1f1f9, 0x937171e2,
    0x73d8d8ab, 0x53313162, 0x3f15152a, 0x0c040408, 0x52c7c795, 0x65232346, 0x5ec3c39d, 0x28181830, 0xa1969637,
    0x0f05050a, 0xb59a9a2f, 0x0907070e, 0x36121224, 0x9b80801b, 0x3de2e2df, 0x26ebebcd, 0x6927274e, 0xcdb2b27f,
    0x9f7575ea, 0x1b090912, 0x9e83831d, 0x742c2c58, 0x2e1a1a34, 0x2d1b1b36, 0xb26e6edc, 0xee5a5ab4, 0xfba0a05b,
    0xf65252a4, 0x4d3b3b76, 0x61d6d6b7, 0xceb3b37d, 0x7b292952, 0x3ee3e3dd, 0x712f2f5e, 0x97848413, 0xf55353a6,
    0x68d1d1b9, 0x00000000, 0x2cededc1, 0x60202040, 0x1ffcfce3, 0xc8b1b179, 0xed5b5bb6, 0xbe6a6ad4, 0x46cbcb8d,
    0xd9bebe67, 0x4b393972, 0xde4a4a94, 0xd44c4c98, 0xe85858b0, 0x4acfcf85, 0x6bd0d0bb, 0x2aefefc5, 0xe5aaaa4f,
    0x16fbfbed, 0xc5434386, 0xd74d4d9a, 0x55333366, 0x94858511, 0xcf45458a, 0x10f9f9e9, 0x06020204, 0x817f7ffe,
    0xf05050a0, 0x443c3c78, 0xba9f9f25, 0xe3a8a84b, 0xf35151a2, 0xfea3a35d, 0xc0404080, 0x8a8f8f05, 0xad92923f,
    0xbc9d9d21, 0x48383870, 0x04f5f5f1, 0xdfbcbc63, 0xc1b6b677, 0x75dadaaf, 0x63212142, 0x30101020, 0x1affffe5,
    0x0ef3f3fd, 0x6dd2d2bf, 0x4ccdcd81, 0x140c0c18, 0x35131326, 0x2fececc3, 0xe15f5fbe, 0xa2979735, 0xcc444488,
    0x3917172e, 0x57c4c493, 0xf2a7a755, 0x827e7efc, 0x473d3d7a, 0xac6464c8, 0xe75d5dba, 0x2b191932, 0x957373e6,
    0xa06060c0, 0x98818119, 0xd14f4f9e, 0x7fdcdca3, 0x66222244, 0x7e2a2a54, 0xab90903b, 0x8388880b, 0xca46468c,
    0x29eeeec7, 0xd3b8b86b, 0x3c141428, 0x79dedea7, 0xe25e5ebc, 0x1d0b0b16, 0x76dbdbad, 0x3be0e0db, 0x56323264,
    0x4e3a3a74, 0x1e0a0a14, 0xdb494992, 0x0a06060c, 0x6c242448, 0xe45c5cb8, 0x5dc2c29f, 0x6ed3d3bd, 0xefacac43,
    0xa66262c4, 0xa8919139, 0xa4959531, 0x37e4e4d3, 0x8b7979f2, 0x32e7e7d5, 0x43c8c88b, 0x5937376e, 0xb76d6dda,
    0x8c8d8d01, 0x64d5d5b1, 0xd24e4e9c, 0xe0a9a949, 0xb46c6cd8, 0xfa5656ac, 0x07f4f4f3, 0x25eaeacf, 0xaf6565ca,
    0x8e7a7af4, 0xe9aeae47, 0x18080810, 0xd5baba6f, 0x887878f0, 0x6f25254a, 0x722e2e5c, 0x241c1c38, 0xf1a6a657,
    0xc7b4b473, 0x51c6c697, 0x23e8e8cb, 0x7cdddda1, 0x9c7474e8, 0x211f1f3e, 0xdd4b4b96, 0xdcbdbd61, 0x868b8b0d,
    0x858a8a0f, 0x907070e0, 0x423e3e7c, 0xc4b5b571, 0xaa6666cc, 0xd8484890, 0x05030306, 0x01f6f6f7, 0x120e0e1c,
    0xa36161c2, 0x5f35356a, 0xf95757ae, 0xd0b9b969, 0x91868617, 0x58c1c199, 0x271d1d3a, 0xb99e9e27, 0x38e1e1d9,
    0x13f8f8eb, 0xb398982b, 0x33111122, 0xbb6969d2, 0x70d9d9a9, 0x898e8e07, 0xa7949433, 0xb69b9b2d, 0x221e1e3c,
    0x92878715, 0x20e9e9c9, 0x49cece87, 0xff5555aa, 0x78282850, 0x7adfdfa5, 0x8f8c8c03, 0xf8a1a159, 0x80898909,
    0x170d0d1a, 0xdabfbf65, 0x31e6e6d7, 0xc6424284, 0xb86868d0, 0xc3414182, 0xb0999929, 0x772d2d5a, 0x110f0f1e,
    0xcbb0b07b, 0xfc5454a8, 0xd6bbbb6d, 0x3a16162c};

uint byte_of(uint word, uint row) {
  return (word >> (8 * row)) & 0xff;
}

uint column(uint a, uint b, uint c, uint d) {
  return mixed[byte_of(a, 0)] ^ rotate(mixed[byte_of(b, 1)], 8U) ^ rotate(mixed[byte_of(c, 2)], 16U) ^
         rotate(mixed[byte_of(d, 3)], 24U);
}

uint last_column(uint a, uint b, uint c, uint d) {
  return byte_of(mixed[byte_of(a, 0)], 1) | byte_of(mixed[byte_of(b, 1)], 1) << 8 |
         byte_of(mixed[byte_of(c, 2)], 1) << 16 | byte_of(mixed[byte_of(d, 3)], 1) << 24;
}

uint4 encrypt(uint4 s, __global const uint4* restrict schedule) {
  s ^= schedule[0];
  for (int round = 1; round < ROUNDS; ++round)
    s = (uint4)(column(s.x, s.y, s.z, s.w), column(s.y, s.z, s.w, s.x), column(s.z, s.w, s.x, s.y),
                column(s.w, s.x, s.y, s.z)) ^
        schedule[round];
  return (uint4)(last_column(s.x, s.y, s.z, s.w), last_column(s.y, s.z, s.w, s.x), last_column(s.z, s.w, s.x, s.y),
                 last_column(s.w, s.x, s.y, s.z)) ^
         schedule[ROUNDS];
}

uint big_endian(uint value) {
  return rotate(value & 0x00ff00ffU, 24U) | rotate(value & 0xff00ff00U, 8U);
}

// All bits of the first `bytes` bytes of a block, none for 0 or less.
uint4 first_bytes(int bytes) {
  const int4 in_word = clamp((int4)bytes - (int4)(0, 4, 8, 12), 0, 4);
  return select((uint4)0xffffffffU >> convert_uint4(32 - 8 * in_word), (uint4)0, in_word == 0);
}

__kernel void packet_encryption(__global const uint4* restrict in, __global uint4* restrict out,
                                __global const uint4* restrict schedule, int slot, int packets) {
  const size_t block = get_global_id(0);
  const size_t begin = get_global_id(1) * (size_t)(slot / 16);
  const Head head = *(__global const Head*)(in + begin);
  const int number = (int)block - 1;
  const uint4 counter =
      (uint4)(0, big_endian((uint)(head.packet >> 32)), big_endian((uint)head.packet), big_endian((uint)number));
  const uint4 encrypted = first_bytes((int)head.bytes - 16 * number) & ~first_bytes(number == 0 ? CLEAR : 0);
  const uint4 stream = encrypt(counter, schedule);
  out[begin + block] = in[begin + block] ^ (block == 0 ? (uint4)0 : stream & encrypted);
}
