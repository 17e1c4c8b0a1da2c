// C_out = alpha A B + beta C for CPUs, after Goto and van de Geijn (ACM TOMS 34(3), 2008): A and B are first packed
// into panels that are read from end to end; then a work-item computes one BLOCK_SIZE x BLOCK_SIZE tile of C, the sum
// in pieces of DEPTH, so that what a piece needs of B stays in its core's second-level cache and leaves most of that to
// C, and what it needs of A stays in the first. A tile is made of register tiles: GEMM_SIZE rows of REGISTER_VECTORS
// vectors of 64 bytes.
//
// half is packed as float and summed up as float: CPUs convert faster than they compute in half. Its C is rounded after
// each piece, so its pieces are as few as can be.

#ifdef DATA_TYPE_IS_DOUBLE
#define VECTOR_WIDTH 8
#define PIECES 4
#elif defined(DATA_TYPE_IS_HALF)
#define VECTOR_WIDTH 16
#define PIECES 1
#else
#define VECTOR_WIDTH 16
#define PIECES 2
#endif
#define DEPTH (BLOCK_SIZE / PIECES)  // without a rest: BLOCK_SIZE is a multiple of COLUMNS
#define COLUMNS (REGISTER_VECTORS * VECTOR_WIDTH)
#define LOAD JOIN(vload, VECTOR_WIDTH)
#define STORE JOIN(vstore, VECTOR_WIDTH)
#define TO_SCALARS JOIN(JOIN(convert_, SCALAR), VECTOR_WIDTH)
#define TO_DATA JOIN(JOIN(convert_, DATA_TYPE), VECTOR_WIDTH)

typedef JOIN(SCALAR, VECTOR_WIDTH) vector;

// Panels of GEMM_SIZE rows of A, each column by column. One work-item a panel.
__kernel void gemm_pack_a(__global const DATA_TYPE* restrict a, __global SCALAR* restrict packed, uint size) {
  const size_t start = get_global_id(0) * GEMM_SIZE * size;
  __global const DATA_TYPE* from = a + start;
  __global SCALAR* to = packed + start;
  for (size_t k = 0; k < size; ++k)
    for (size_t i = 0; i < GEMM_SIZE; ++i) to[k * GEMM_SIZE + i] = (SCALAR)from[i * size + k];
}

// Panels of COLUMNS columns of B, each row by row. One work-item a panel.
__kernel void gemm_pack_b(__global const DATA_TYPE* restrict b, __global SCALAR* restrict packed, uint size) {
  __global const DATA_TYPE* from = b + get_global_id(0) * COLUMNS;
  __global SCALAR* to = packed + get_global_id(0) * COLUMNS * size;
  for (size_t k = 0; k < size; ++k)
    for (size_t v = 0; v < REGISTER_VECTORS; ++v) STORE(TO_SCALARS(LOAD(v, from + k * size)), v, to + k * COLUMNS);
}

// Adds alpha times the product of a panel of A and a panel of B, both DEPTH deep, to beta times the register tile
// of `c`.
void register_tile(__global const SCALAR* restrict a, __global const SCALAR* restrict b, SCALAR alpha, SCALAR beta,
                   __global const DATA_TYPE* c, __global DATA_TYPE* c_out, size_t size) {
  vector sum[GEMM_SIZE][REGISTER_VECTORS];
#pragma unroll
  for (int i = 0; i < GEMM_SIZE; ++i)
#pragma unroll
    for (int v = 0; v < REGISTER_VECTORS; ++v) sum[i][v] = (vector)(0);
  for (uint k = 0; k < DEPTH; ++k) {
    vector row[REGISTER_VECTORS];
#pragma unroll
    for (int v = 0; v < REGISTER_VECTORS; ++v) row[v] = LOAD(v, b + k * COLUMNS);
#pragma unroll
    for (int i = 0; i < GEMM_SIZE; ++i) {
      const vector factor = (vector)(a[k * GEMM_SIZE + i]);
#pragma unroll
      for (int v = 0; v < REGISTER_VECTORS; ++v) sum[i][v] = fma(factor, row[v], sum[i][v]);
    }
  }
#pragma unroll
  for (int i = 0; i < GEMM_SIZE; ++i)
#pragma unroll
    for (int v = 0; v < REGISTER_VECTORS; ++v)
      STORE(TO_DATA(alpha * sum[i][v] + beta * TO_SCALARS(LOAD(v, c + i * size))), v, c_out + i * size);
}

// a, b: packed. Work-items: columns of tiles by rows of tiles, of which the first is `first_block`.
__kernel void gemm(__global const SCALAR* restrict a, __global const SCALAR* restrict b, __global const DATA_TYPE* c,
                   __global DATA_TYPE* c_out, SCALAR alpha, SCALAR beta, uint size, uint first_block, uint blocks) {
  const size_t row = (get_global_id(1) + first_block) * BLOCK_SIZE;
  const size_t column = get_global_id(0) * BLOCK_SIZE;
  for (size_t k = 0; k < size; k += DEPTH)
    for (size_t i = row; i < row + BLOCK_SIZE; i += GEMM_SIZE)
      for (size_t j = column; j < column + BLOCK_SIZE; j += COLUMNS)
        register_tile(a + i * size + k * GEMM_SIZE, b + j * size + k * COLUMNS, alpha, k == 0 ? beta : (SCALAR)1,
                      (k == 0 ? c : c_out) + i * size + j, c_out + i * size + j, size);
}
