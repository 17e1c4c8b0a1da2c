// PTRANS as three pipelines for each matrix block (meyer2024 4.1.2.1): a block of A is read into local memory; it is
// read transposed and a block of B is added to it; the sum is written. Blocks are contiguous. `sources` says for each
// block of C where its block of A lies: index i >= 0 of those that came from other ranks, or own block -1 - i.
#define BLOCK (BLOCK_SIZE * BLOCK_SIZE)

SINGLE_WORK_ITEM
__kernel void transpose(__global const DATA_TYPE* restrict a, __global const DATA_TYPE* restrict received,
                        __global const int* restrict sources, __global const DATA_TYPE* restrict b,
                        __global DATA_TYPE* restrict c, const int first, const int count) {
  __local DATA_TYPE block[BLOCK];
  __local DATA_TYPE sum[BLOCK];
  for (int each = first; each < first + count; ++each) {
    const int source = sources[each];
    const ulong from = (ulong)(source >= 0 ? source : -1 - source) * BLOCK;
    const ulong to = (ulong)each * BLOCK;
    PIPELINED for (uint at = 0; at < BLOCK; at += CHANNEL_WIDTH) {
      UNROLLED(CHANNEL_WIDTH)
      for (uint lane = 0; lane < CHANNEL_WIDTH; ++lane)
        block[at + lane] = source >= 0 ? received[from + at + lane] : a[from + at + lane];
    }
    PIPELINED for (uint at = 0; at < BLOCK; at += CHANNEL_WIDTH) {
      const uint row = at / BLOCK_SIZE;
      const uint column = at % BLOCK_SIZE;
      UNROLLED(CHANNEL_WIDTH)
      for (uint lane = 0; lane < CHANNEL_WIDTH; ++lane)
        sum[at + lane] = b[to + at + lane] + block[(column + lane) * BLOCK_SIZE + row];
    }
    PIPELINED for (uint at = 0; at < BLOCK; at += CHANNEL_WIDTH) {
      UNROLLED(CHANNEL_WIDTH) for (uint lane = 0; lane < CHANNEL_WIDTH; ++lane) c[to + at + lane] = sum[at + lane];
    }
  }
}
