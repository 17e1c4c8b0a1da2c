// STREAM as one pipeline a loop (meyer2024 listing 3.1): a block is loaded and scaled into local memory, the second
// input is added, the block is written, so that each loop has the memory bank to itself. The block has
// DEVICE_BUFFER_SIZE vectors: so the memory that meyer2024 table 3.5 gives for the configurations of table 3.4 comes
// out. `first` and `count` are in VALUES; count is a multiple of the block.
#define BLOCK DEVICE_BUFFER_SIZE
#define LANES GLOBAL_MEM_UNROLL

SINGLE_WORK_ITEM
__kernel void stream(__global const VALUES* restrict in1, __global const VALUES* restrict in2,
                     __global VALUES* restrict out, const SCALAR scalar, const ulong first, const ulong count,
                     const int second_input) {
  MEMORY(VALUES, buffer, BLOCK / LANES, LANES);
  for (ulong block = first; block < first + count; block += BLOCK) {
    PIPELINED
    for (uint row = 0; row < BLOCK / LANES; ++row) {
      UNROLLED(LANES)
      for (uint lane = 0; lane < LANES; ++lane) buffer[row][lane] = (DATA_TYPE)scalar * in1[block + row * LANES + lane];
    }
    if (second_input) {
      PIPELINED
      for (uint row = 0; row < BLOCK / LANES; ++row) {
        UNROLLED(LANES)
        for (uint lane = 0; lane < LANES; ++lane) buffer[row][lane] += in2[block + row * LANES + lane];
      }
    }
    PIPELINED
    for (uint row = 0; row < BLOCK / LANES; ++row) {
      UNROLLED(LANES)
      for (uint lane = 0; lane < LANES; ++lane) out[block + row * LANES + lane] = buffer[row][lane];
    }
  }
}
