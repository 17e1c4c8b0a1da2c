// C_out = alpha A B + beta C for GPUs: a work-group computes one BLOCK_SIZE x BLOCK_SIZE tile of C, each of its
// work-items GEMM_SIZE rows by REGISTER_VECTORS quads (4 values) of it in registers. Slices of A and B, DEPTH deep,
// pass through local memory, two of each: while one is used the next is fetched.
//
// A work-item's rows lie in quads too, quads of either kind a stride apart, so that the work-items of a row read
// neighbouring quads of local memory, free of bank conflicts. half is summed up as float.

#define DEPTH 8
#define COLUMNS (4 * REGISTER_VECTORS)
#define ITEMS_X (BLOCK_SIZE / COLUMNS)
#define ITEMS_Y (BLOCK_SIZE / GEMM_SIZE)
#define WORK_ITEMS (ITEMS_X * ITEMS_Y)
#define ROW_QUADS (GEMM_SIZE / 4)
#define FETCHES (BLOCK_SIZE * DEPTH / 4 / WORK_ITEMS)
#define TO_SCALARS JOIN(JOIN(convert_, SCALAR), 4)
#define TO_DATA JOIN(JOIN(convert_, DATA_TYPE), 4)
// Rows of tiles that run at about the same time, so that the second-level cache serves A and B alike.
#define BAND 8u

// Quads are reached through these and not by vload4, which may not take it that they lie at multiples of their size.
typedef JOIN(SCALAR, 4) quad;
typedef JOIN(DATA_TYPE, 4) data_quad;
#define DATA(values) (*(__global const data_quad*)(values))
#define LOCAL(values) (*(__local const quad*)(values))

// One slice of A, transposed and padded against bank conflicts of the writes, and one of B.
typedef struct {
  SCALAR a[DEPTH][BLOCK_SIZE + 4];
  SCALAR b[DEPTH][BLOCK_SIZE];
} __attribute__((aligned(32))) slices;

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
    quads.a[f] = TO_SCALARS(DATA(a + quad_of_slice / (DEPTH / 4) * size + quad_of_slice % (DEPTH / 4) * 4));
    quads.b[f] = TO_SCALARS(DATA(b + quad_of_slice / (BLOCK_SIZE / 4) * size + quad_of_slice % (BLOCK_SIZE / 4) * 4));
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
    *(__local quad*)&to->b[quad_of_slice / (BLOCK_SIZE / 4)][quad_of_slice % (BLOCK_SIZE / 4) * 4] = quads.b[f];
  }
}

void multiply(__local const slices* slice, uint x, uint y, quad sum[GEMM_SIZE][REGISTER_VECTORS]) {
#pragma unroll
  for (uint k = 0; k < DEPTH; ++k) {
    SCALAR column[GEMM_SIZE];
    quad row[REGISTER_VECTORS];
#pragma unroll
    for (uint q = 0; q < ROW_QUADS; ++q) {
      const quad values = LOCAL(&slice->a[k][4 * (y + q * ITEMS_Y)]);
      column[4 * q] = values.x;
      column[4 * q + 1] = values.y;
      column[4 * q + 2] = values.z;
      column[4 * q + 3] = values.w;
    }
#pragma unroll
    for (uint q = 0; q < REGISTER_VECTORS; ++q) row[q] = LOCAL(&slice->b[k][4 * (x + q * ITEMS_X)]);
#pragma unroll
    for (uint i = 0; i < GEMM_SIZE; ++i)
#pragma unroll
      for (uint q = 0; q < REGISTER_VECTORS; ++q) sum[i][q] = fma((quad)(column[i]), row[q], sum[i][q]);
  }
}

// The work-item's column and row in the tile. 32 neighbours, which read local memory together, are 8 x 4, so that they
// read 12 different quads a step rather than 18. Pairs of them read the same quads of B, so that these are read at
// once.
uint2 place(uint item) {
#if ITEMS_X % 8 == 0 && ITEMS_Y % 4 == 0
  const uint group = item / 32;
  const uint x = group % (ITEMS_X / 8) * 8 + item / 2 % 8;
  const uint y = group / (ITEMS_X / 8) * 4 + item % 2 + item / 16 % 2 * 2;
  return (uint2)(x, y);
#else
  return (uint2)(item % ITEMS_X, item / ITEMS_X);
#endif
}

// The tile of this work-group: column, row.
uint2 tile_of_group(uint rows) {
  const uint columns = get_num_groups(0);
  const uint group = get_group_id(1) * columns + get_group_id(0);
  const uint first = group / (BAND * columns) * BAND;
  const uint band = min(BAND, rows - first);
  const uint index = group % (BAND * columns);
  return (uint2)(index / band, first + index % band);
}

// Work-items: ITEMS_X for each column of tiles by ITEMS_Y for each of the `blocks` rows of tiles, of which the first is
// `first_block`.
__attribute__((reqd_work_group_size(ITEMS_X, ITEMS_Y, 1))) __kernel void gemm(
    __global const DATA_TYPE* restrict a, __global const DATA_TYPE* restrict b, __global const DATA_TYPE* c,
    __global DATA_TYPE* c_out, SCALAR alpha, SCALAR beta, uint size, uint first_block, uint blocks) {
  __local slices slice[2];
  const uint item = get_local_id(1) * ITEMS_X + get_local_id(0);
  const uint2 at = place(item);
  const uint2 tile = tile_of_group(blocks);
  const size_t row = (tile.y + first_block) * BLOCK_SIZE;
  const size_t column = tile.x * BLOCK_SIZE;
  a += row * size;
  b += column;

  quad sum[GEMM_SIZE][REGISTER_VECTORS];
#pragma unroll
  for (uint i = 0; i < GEMM_SIZE; ++i)
#pragma unroll
    for (uint q = 0; q < REGISTER_VECTORS; ++q) sum[i][q] = (quad)(0);

  fetched next = fetch(a, b, size, item);
#pragma unroll 1
  for (uint k = DEPTH;; k += DEPTH) {
    __local slices* now = &slice[k / DEPTH % 2];
    put(next, now, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (k < size) next = fetch(a + k, b + (size_t)k * size, size, item);
    multiply(now, at.x, at.y, sum);
    if (k >= size) break;
  }

#pragma unroll
  for (uint i = 0; i < GEMM_SIZE; ++i)
#pragma unroll
    for (uint q = 0; q < REGISTER_VECTORS; ++q) {
      const size_t to = (row + (at.y + i / 4 * ITEMS_Y) * 4 + i % 4) * size + column + (at.x + q * ITEMS_X) * 4;
      *(__global data_quad*)(c_out + to) = TO_DATA(alpha * sum[i][q] + beta * TO_SCALARS(DATA(c + to)));
    }
}
