// PTRANS as three pipelines for each matrix block (meyer2024 4.1.2.1): a block of A is read into local memory; it is
// read transposed and a block of B is added to it; the sum is written. Matrices lie row by row, as HPC Challenge has
// them: rows of A, B and C are `pitch` values apart. `sources` says three things for each block of C: where its block
// of A begins, in as many values as a block has in a row, i >= 0 in what came from other ranks or -1 - i in A; how many
// values the rows there are apart; and where the block of C, and that of B, begins.
//
// Value (row, column) of the block of A is in bank (row + column) % CHANNEL_WIDTH: neighbours in a row as well as those
// in a column lie in different banks, so that CHANNEL_WIDTH values enter and leave a cycle.
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
                        __global DATA_TYPE* restrict c, const int pitch, const int first, const int count) {
  MEMORY(__local DATA_TYPE, block, BLOCK_SIZE * WORDS, CHANNEL_WIDTH);
  MEMORY(__local DATA_TYPE, sum, BLOCK_SIZE * WORDS, CHANNEL_WIDTH);
  for (int each = first; each < first + count; ++each) {
    const int source = sources[3 * each];
    const ulong pitch_of_a = sources[3 * each + 1];
    const ulong from = (ulong)(source >= 0 ? source : -1 - source) * BLOCK_SIZE;
    const ulong to = (ulong)sources[3 * each + 2] * BLOCK_SIZE;
    PIPELINED
    for (uint word = 0; word < BLOCK_SIZE * WORDS; ++word) {
      const ulong at = from + word / WORDS * pitch_of_a + word % WORDS * CHANNEL_WIDTH;
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
      const ulong at = to + row * (ulong)pitch + column;
      DATA_TYPE values[CHANNEL_WIDTH] PARTITIONED(1);
      UNROLLED(CHANNEL_WIDTH)
      for (uint bank = 0; bank < CHANNEL_WIDTH; ++bank)
        values[bank] = block[(column + (bank + turn) % CHANNEL_WIDTH) * WORDS + row / CHANNEL_WIDTH][bank];
      rotate_lanes(values, turn % CHANNEL_WIDTH);
      UNROLLED(CHANNEL_WIDTH)
      for (uint lane = 0; lane < CHANNEL_WIDTH; ++lane) sum[word][lane] = b[at + lane] + values[lane];
    }
    PIPELINED
    for (uint word = 0; word < BLOCK_SIZE * WORDS; ++word) {
      const ulong at = to + word / WORDS * (ulong)pitch + word % WORDS * CHANNEL_WIDTH;
      UNROLLED(CHANNEL_WIDTH)
      for (uint lane = 0; lane < CHANNEL_WIDTH; ++lane) c[at + lane] = sum[word][lane];
    }
  }
}
