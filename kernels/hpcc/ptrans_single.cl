// PTRANS as three pipelines for each matrix block (meyer2024 4.1.2.1): a block of A is read into local memory; it is
// read transposed and a block of B is added to it; the sum is written. Blocks are contiguous. `sources` says for each
// block of C where its block of A lies: index i >= 0 of those that came from other ranks, or own block -1 - i.
//
// Value (row, column) of the block of A is in bank (row + column) % CHANNEL_WIDTH: neighbours in a row as well as those
// in a column lie in different banks, so that CHANNEL_WIDTH values enter and leave a cycle.
#define BLOCK (BLOCK_SIZE * BLOCK_SIZE)
#define WORDS (BLOCK_SIZE / CHANNEL_WIDTH)

// values[lane] goes to lane (lane + by) % CHANNEL_WIDTH; by < CHANNEL_WIDTH <= 1024.
void rotate_lanes(DATA_TYPE values[CHANNEL_WIDTH], uint by) {
  UNROLLED(10)
  for (uint bit = 0; bit < 10; ++bit) {
    DATA_TYPE turned[CHANNEL_WIDTH] PARTITIONED(1);
    const uint step = 1 << bit;
    UNROLLED(CHANNEL_WIDTH)
    for (uint lane = 0; lane < CHANNEL_WIDTH; ++lane) turned[(lane + step) % CHANNEL_WIDTH] = values[lane];
    UNROLLED(CHANNEL_WIDTH)
    for (uint lane = 0; lane < CHANNEL_WIDTH; ++lane) values[lane] = by & step ? turned[lane] : values[lane];
  }
}

SINGLE_WORK_ITEM
__kernel void transpose(__global const DATA_TYPE* restrict a, __global const DATA_TYPE* restrict received,
                        __global const int* restrict sources, __global const DATA_TYPE* restrict b,
                        __global DATA_TYPE* restrict c, const int first, const int count) {
  MEMORY(__local DATA_TYPE, block, BLOCK_SIZE * WORDS, CHANNEL_WIDTH);
  MEMORY(__local DATA_TYPE, sum, BLOCK_SIZE * WORDS, CHANNEL_WIDTH);
  for (int each = first; each < first + count; ++each) {
    const int source = sources[each];
    const ulong from = (ulong)(source >= 0 ? source : -1 - source) * BLOCK;
    const ulong to = (ulong)each * BLOCK;
    PIPELINED
    for (uint word = 0; word < BLOCK_SIZE * WORDS; ++word) {
      const ulong at = from + word * CHANNEL_WIDTH;
      DATA_TYPE values[CHANNEL_WIDTH] PARTITIONED(1);
      UNROLLED(CHANNEL_WIDTH)
      for (uint lane = 0; lane < CHANNEL_WIDTH; ++lane) values[lane] = source >= 0 ? received[at + lane] : a[at + lane];
      rotate_lanes(values, word / WORDS % CHANNEL_WIDTH);
      UNROLLED(CHANNEL_WIDTH)
      for (uint bank = 0; bank < CHANNEL_WIDTH; ++bank) block[word][bank] = values[bank];
    }
    PIPELINED
    for (uint word = 0; word < BLOCK_SIZE * WORDS; ++word) {
      // Row and column of C: of A's block column and row.
      const uint row = word / WORDS;
      const uint column = word % WORDS * CHANNEL_WIDTH;
      const uint turn = CHANNEL_WIDTH - row % CHANNEL_WIDTH;
      DATA_TYPE values[CHANNEL_WIDTH] PARTITIONED(1);
      UNROLLED(CHANNEL_WIDTH)
      for (uint bank = 0; bank < CHANNEL_WIDTH; ++bank)
        values[bank] = block[(column + (bank + turn) % CHANNEL_WIDTH) * WORDS + row / CHANNEL_WIDTH][bank];
      rotate_lanes(values, turn % CHANNEL_WIDTH);
      UNROLLED(CHANNEL_WIDTH)
      for (uint lane = 0; lane < CHANNEL_WIDTH; ++lane)
        sum[word][lane] = b[to + word * CHANNEL_WIDTH + lane] + values[lane];
    }
    PIPELINED
    for (uint word = 0; word < BLOCK_SIZE * WORDS; ++word) {
      UNROLLED(CHANNEL_WIDTH)
      for (uint lane = 0; lane < CHANNEL_WIDTH; ++lane) c[to + word * CHANNEL_WIDTH + lane] = sum[word][lane];
    }
  }
}
