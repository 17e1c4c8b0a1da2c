// C_out = alpha A B + beta C for GPUs: a work-group computes one BLOCK_SIZE x BLOCK_SIZE tile of C, each of its
// (BLOCK_SIZE / GEMM_SIZE)^2 work-items GEMM_SIZE x GEMM_SIZE values of it in registers. Slices of A and B, DEPTH deep,
// pass through local memory, two of each: while one is used the next is fetched.
//
// A work-item's values lie in quads of 4 that are QUAD_STRIDE apart, so that the work-items of a row read neighbouring
// quads of local memory, free of bank conflicts. half is summed up as float.

// Two slices of both matrices fit into 48 KiB for tiles of 128.
#ifdef DATA_TYPE_IS_DOUBLE
#define DEPTH 8
#else
#define DEPTH 16
#endif
#define SIDE (BLOCK_SIZE / GEMM_SIZE)
#define WORK_ITEMS (SIDE * SIDE)
#define QUADS (GEMM_SIZE / 4)
#define QUAD_STRIDE (BLOCK_SIZE / QUADS)
#define FETCHES (BLOCK_SIZE * DEPTH / 4 / WORK_ITEMS)
#define TO_SCALARS JOIN(JOIN(convert_, SCALAR), 4)
#define TO_DATA JOIN(JOIN(convert_, DATA_TYPE), 4)

typedef JOIN(SCALAR, 4) quad;

// One slice of A, transposed and padded against bank conflicts of the writes, and one of B.
typedef struct {
  SCALAR a[DEPTH][BLOCK_SIZE + 4];
  SCALAR b[DEPTH][BLOCK_SIZE];
} slices;

// The quads of the next slices that one work-item fetches.
typedef struct {
  quad a[FETCHES];
  quad b[FETCHES];
} fetched;

fetched fetch(__global const DATA_TYPE* a, __global const DATA_TYPE* b, size_t size, uint item) {
  fetched quads;
#pragma unroll
  for (uint f = 0; f < FETCHES; ++f) {
    const uint quad_of_slice = item + f * WORK_ITEMS;
    quads.a[f] = TO_SCALARS(vload4(quad_of_slice % (DEPTH / 4), a + quad_of_slice / (DEPTH / 4) * size));
    quads.b[f] = TO_SCALARS(vload4(quad_of_slice % (BLOCK_SIZE / 4), b + quad_of_slice / (BLOCK_SIZE / 4) * size));
  }
  return quads;
}

void put(fetched quads, __local slices* to, uint item) {
#pragma unroll
  for (uint f = 0; f < FETCHES; ++f) {
    const uint quad_of_slice = item + f * WORK_ITEMS;
    const uint row = quad_of_slice / (DEPTH / 4);
    const uint k = quad_of_slice % (DEPTH / 4) * 4;
    to->a[k][row] = quads.a[f].x;
    to->a[k + 1][row] = quads.a[f].y;
    to->a[k + 2][row] = quads.a[f].z;
    to->a[k + 3][row] = quads.a[f].w;
    vstore4(quads.b[f], quad_of_slice % (BLOCK_SIZE / 4), to->b[quad_of_slice / (BLOCK_SIZE / 4)]);
  }
}

void multiply(__local const slices* slice, uint x, uint y, quad sum[GEMM_SIZE][QUADS]) {
#pragma unroll
  for (uint k = 0; k < DEPTH; ++k) {
    SCALAR column[GEMM_SIZE];
    quad row[QUADS];
#pragma unroll
    for (uint q = 0; q < QUADS; ++q) {
      vstore4(vload4(y, &slice->a[k][q * QUAD_STRIDE]), q, column);
      row[q] = vload4(x, &slice->b[k][q * QUAD_STRIDE]);
    }
#pragma unroll
    for (uint i = 0; i < GEMM_SIZE; ++i)
#pragma unroll
      for (uint q = 0; q < QUADS; ++q) sum[i][q] = fma((quad)(column[i]), row[q], sum[i][q]);
  }
}

// Work-items: SIDE for each column of tiles by SIDE for each row of tiles, of which the first is `first_block`.
__attribute__((reqd_work_group_size(SIDE, SIDE, 1))) __kernel void gemm(
    __global const DATA_TYPE* restrict a, __global const DATA_TYPE* restrict b, __global const DATA_TYPE* c,
    __global DATA_TYPE* c_out, SCALAR alpha, SCALAR beta, uint size, uint first_block, uint blocks) {
  __local slices slice[2];
  const uint x = get_local_id(0);
  const uint y = get_local_id(1);
  const uint item = y * SIDE + x;
  const size_t row = (get_group_id(1) + first_block) * BLOCK_SIZE;
  const size_t column = get_group_id(0) * BLOCK_SIZE;
  a += row * size;
  b += column;

  quad sum[GEMM_SIZE][QUADS];
#pragma unroll
  for (uint i = 0; i < GEMM_SIZE; ++i)
#pragma unroll
    for (uint q = 0; q < QUADS; ++q) sum[i][q] = (quad)(0);

  put(fetch(a, b, size, item), &slice[0], item);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = DEPTH; k < size; k += DEPTH) {
    const uint now = (k / DEPTH - 1) % 2;
    const fetched next = fetch(a + k, b + (size_t)k * size, size, item);
    multiply(&slice[now], x, y, sum);
    put(next, &slice[1 - now], item);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  multiply(&slice[(size / DEPTH - 1) % 2], x, y, sum);

#pragma unroll
  for (uint i = 0; i < GEMM_SIZE; ++i)
#pragma unroll
    for (uint q = 0; q < QUADS; ++q) {
      const size_t at = (row + i / 4 * QUAD_STRIDE + y * 4 + i % 4) * size + column + q * QUAD_STRIDE + x * 4;
      vstore4(TO_DATA(alpha * sum[i][q] + beta * TO_SCALARS(vload4(0, c + at))), 0, c_out + at);
    }
}
