// C_out = alpha A B + beta C as one pipeline after the other (meyer2024 3.1.5): blocks of BLOCK_SIZE x BLOCK_SIZE
// values are loaded into local memory, multiplied there as blocks of GEMM_SIZE x GEMM_SIZE values, one such
// multiplication fully unrolled and started every cycle, and written back. GLOBAL_MEM_UNROLL values cross the memory
// interface a cycle.

#define SIDE (BLOCK_SIZE / GEMM_SIZE)
#define BLOCKS (SIDE * SIDE)

// Values that are used in one cycle, each in a bank of its own: of a block of a matrix the register blocks follow each
// other by rows, and so do the values of each.
typedef DATA_TYPE register_block[GEMM_SIZE * GEMM_SIZE];

void load(__global const DATA_TYPE* restrict from, uint size, __local register_block to[BLOCKS]) {
  for (uint row = 0; row < BLOCK_SIZE; ++row) {
    PIPELINED
    for (uint start = 0; start < BLOCK_SIZE; start += GLOBAL_MEM_UNROLL) {
      UNROLLED(GLOBAL_MEM_UNROLL)
      for (uint u = 0; u < GLOBAL_MEM_UNROLL; ++u) {
        const uint column = start + u;
        to[row / GEMM_SIZE * SIDE + column / GEMM_SIZE][row % GEMM_SIZE * GEMM_SIZE + column % GEMM_SIZE] =
            from[row * (size_t)size + column];
      }
    }
  }
}

// sum += a b, or sum = a b for the first block of the row. A register block of `sum` is used again only BLOCKS cycles
// later.
void multiply(__local register_block a[BLOCKS], __local register_block b[BLOCKS], __local register_block sum[BLOCKS],
              bool first) {
  INDEPENDENT(sum, BLOCKS)
  PIPELINED
  for (uint step = 0; step < SIDE * BLOCKS; ++step) {
    const uint k = step / BLOCKS;
    const uint i = step / SIDE % SIDE;
    const uint j = step % SIDE;
    UNROLLED(GEMM_SIZE)
    for (uint y = 0; y < GEMM_SIZE; ++y) {
      UNROLLED(GEMM_SIZE)
      for (uint x = 0; x < GEMM_SIZE; ++x) {
        DATA_TYPE dot = first && k == 0 ? (DATA_TYPE)0 : sum[i * SIDE + j][y * GEMM_SIZE + x];
        UNROLLED(GEMM_SIZE)
        for (uint z = 0; z < GEMM_SIZE; ++z)
          dot += a[i * SIDE + k][y * GEMM_SIZE + z] * b[k * SIDE + j][z * GEMM_SIZE + x];
        sum[i * SIDE + j][y * GEMM_SIZE + x] = dot;
      }
    }
  }
}

void store(__local register_block sum[BLOCKS], __global const DATA_TYPE* c, __global DATA_TYPE* c_out, DATA_TYPE alpha,
           DATA_TYPE beta, uint size) {
  for (uint row = 0; row < BLOCK_SIZE; ++row) {
    PIPELINED
    for (uint start = 0; start < BLOCK_SIZE; start += GLOBAL_MEM_UNROLL) {
      UNROLLED(GLOBAL_MEM_UNROLL)
      for (uint u = 0; u < GLOBAL_MEM_UNROLL; ++u) {
        const uint column = start + u;
        const size_t at = row * (size_t)size + column;
        c_out[at] =
            alpha * sum[row / GEMM_SIZE * SIDE + column / GEMM_SIZE][row % GEMM_SIZE * GEMM_SIZE + column % GEMM_SIZE] +
            beta * c[at];
      }
    }
  }
}

// `blocks` rows of blocks of C, from the row `first_block`.
SINGLE_WORK_ITEM
__kernel void gemm(__global const DATA_TYPE* restrict a, __global const DATA_TYPE* restrict b,
                   __global const DATA_TYPE* c, __global DATA_TYPE* c_out, SCALAR alpha, SCALAR beta, uint size,
                   uint first_block, uint blocks) {
  MEMORY(__local DATA_TYPE, a_block, BLOCKS, GEMM_SIZE * GEMM_SIZE);
  MEMORY(__local DATA_TYPE, b_block, BLOCKS, GEMM_SIZE * GEMM_SIZE);
  MEMORY(__local DATA_TYPE, sum, BLOCKS, GEMM_SIZE * GEMM_SIZE);
  for (size_t row = first_block * (size_t)BLOCK_SIZE; row < (first_block + blocks) * (size_t)BLOCK_SIZE;
       row += BLOCK_SIZE) {
    for (size_t column = 0; column < size; column += BLOCK_SIZE) {
      for (size_t k = 0; k < size; k += BLOCK_SIZE) {
        load(a + row * size + k, size, a_block);
        load(b + k * size + column, size, b_block);
        multiply(a_block, b_block, sum, k == 0);
      }
      const size_t at = row * size + column;
      store(sum, c + at, c_out + at, (DATA_TYPE)alpha, (DATA_TYPE)beta, size);
    }
  }
}
