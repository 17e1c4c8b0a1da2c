// The four operations of a blocked LU decomposition without pivoting (meyer2024 4.1.3, figure 4.4) for GPUs. Blocks are
// B x B, each the work of one group of (B / R)^2 work-items that keep R x R values in registers. One group decomposes
// the diagonal block and inverts both factors, so that left, top and inner blocks are all multiplications.
//
// a: the rows of this rank's blocks, `ld` values apart. row, column: of the first value of the first block. diagonal:
// L^-1, transposed, then U^-1. left: blocks one after the other, transposed; top: likewise, not transposed.

#define B (1 << LOCAL_MEM_BLOCK_LOG)
#define R (1 << REGISTER_BLOCK_LOG)
#define SIDE (B / R)
#define ITEMS (SIDE * SIDE)
#define QUADS (R / 4)
#define INLINE static inline __attribute__((always_inline))
#define DEPTH 8
#define QUADS_OF_SLICE (B * DEPTH / 4)
#define FETCHES ((QUADS_OF_SLICE + ITEMS - 1) / ITEMS)

// Quads are reached through these and not by vload4, which may not take it that they lie at multiples of their size.
typedef JOIN(DATA_TYPE, 4) quad;
#define QUAD(values) (*(__global quad*)(values))
#define QUAD_OF(values) (*(__global const quad*)(values))
#define LOCAL_QUAD(values) (*(__local quad*)(values))

// A slice of P, transposed and padded against bank conflicts of the writes, and one of Q.
typedef struct {
  DATA_TYPE p[DEPTH][B + 4];
  DATA_TYPE q[DEPTH][B];
} __attribute__((aligned(32))) slices;

// A block: value (i, k) lies at values[i * stride + k], or, if transposed, at values[k * stride + i].
typedef struct {
  __global const DATA_TYPE* values;
  size_t stride;
  bool transposed;
} block;

// The quads of the next slices that one work-item fetches.
typedef struct {
  quad p[FETCHES];
  quad q[FETCHES];
} fetched;

INLINE fetched fetch(block p, block q, uint start, uint item) {
  fetched quads;
#pragma unroll
  for (uint f = 0; f < FETCHES; ++f) {
    const uint at = item + f * ITEMS;
    if (FETCHES * ITEMS > QUADS_OF_SLICE && at >= QUADS_OF_SLICE) continue;
    const uint k = start + at / (B / 4);
    const uint column = at % (B / 4) * 4;
    quads.p[f] = p.transposed ? QUAD_OF(p.values + k * p.stride + column)
                              : QUAD_OF(p.values + at / (DEPTH / 4) * p.stride + start + at % (DEPTH / 4) * 4);
    quads.q[f] = QUAD_OF(q.values + k * q.stride + column);
  }
  return quads;
}

INLINE void put(fetched quads, bool transposed, __local slices* to, uint item) {
#pragma unroll
  for (uint f = 0; f < FETCHES; ++f) {
    const uint at = item + f * ITEMS;
    if (FETCHES * ITEMS > QUADS_OF_SLICE && at >= QUADS_OF_SLICE) continue;
    const uint column = at % (B / 4) * 4;
    LOCAL_QUAD(&to->q[at / (B / 4)][column]) = quads.q[f];
    if (transposed) {
      LOCAL_QUAD(&to->p[at / (B / 4)][column]) = quads.p[f];
    } else {
      const uint row = at / (DEPTH / 4);
      const uint k = at % (DEPTH / 4) * 4;
      to->p[k][row] = quads.p[f].x;
      to->p[k + 1][row] = quads.p[f].y;
      to->p[k + 2][row] = quads.p[f].z;
      to->p[k + 3][row] = quads.p[f].w;
    }
  }
}

// The work-item's position in the block: column, row, in quads. See gemm_ndrange_gpu.cl.
INLINE uint2 place(uint item) {
#if SIDE % 8 == 0
  const uint group = item / 32;
  return (uint2)(group % (SIDE / 8) * 8 + item / 2 % 8, group / (SIDE / 8) * 4 + item % 2 + item / 16 % 2 * 2);
#else
  return (uint2)(item % SIDE, item / SIDE);
#endif
}

// The index in a block of quad q of a work-item's rows or columns.
INLINE uint first_of(uint place, uint q) {
  return 4 * (place + q * SIDE);
}

INLINE void multiply(__local slices* slice, uint2 at, quad sum[R][QUADS]) {
#pragma unroll
  for (uint k = 0; k < DEPTH; ++k) {
    DATA_TYPE column[R];
    quad row[QUADS];
#pragma unroll
    for (uint q = 0; q < QUADS; ++q) {
      const quad values = LOCAL_QUAD(&slice->p[k][first_of(at.y, q)]);
      column[4 * q] = values.x;
      column[4 * q + 1] = values.y;
      column[4 * q + 2] = values.z;
      column[4 * q + 3] = values.w;
      row[q] = LOCAL_QUAD(&slice->q[k][first_of(at.x, q)]);
    }
#pragma unroll
    for (uint i = 0; i < R; ++i)
#pragma unroll
      for (uint q = 0; q < QUADS; ++q) sum[i][q] = fma((quad)(column[i]), row[q], sum[i][q]);
  }
}

// sum = P Q: while one slice of both is used the next is fetched.
INLINE void product(block p, block q, __local slices slice[2], uint item, uint2 at, quad sum[R][QUADS]) {
#pragma unroll
  for (uint i = 0; i < R; ++i)
#pragma unroll
    for (uint j = 0; j < QUADS; ++j) sum[i][j] = (quad)(0);
  fetched next = fetch(p, q, 0, item);
#pragma unroll 1
  for (uint k = DEPTH;; k += DEPTH) {
    __local slices* now = &slice[k / DEPTH % 2];
    put(next, p.transposed, now, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (k < B) next = fetch(p, q, k, item);
    multiply(now, at, sum);
    if (k >= B) break;
  }
}

// The group's index among its items, in the order of their numbers.
INLINE uint item_of_group(void) {
  return get_local_id(1) * SIDE + get_local_id(0);
}

// Decomposes the diagonal block and inverts its factors, in registers: of LU_SIDE^2 work-items each has every
// LU_SIDEth value of every LU_SIDEth row. Per step one row and one column pass through local memory, two of each by
// turns, so that one barrier a step will do.
#define LU_SIDE 16
#define EACH (B / LU_SIDE)

typedef struct {
  DATA_TYPE row[B];
  DATA_TYPE of_inverse[B];
  DATA_TYPE column[B];
} lu_step;

typedef struct {
  DATA_TYPE factors[EACH][EACH];
  DATA_TYPE inverse[EACH][EACH];
} lu_values;

// Steps k = LU_SIDE * K to LU_SIDE * (K + 1) - 1 of the elimination, done to the block and to the identity, which
// becomes L^-1: its columns up to k and the block's behind k change.
INLINE void eliminate(const uint K, lu_values* v, __local lu_step steps[2], uint x, uint y) {
#pragma unroll 1
  for (uint inner = 0; inner < LU_SIDE; ++inner) {
    __local lu_step* now = &steps[inner % 2];
    const uint k = K * LU_SIDE + inner;
    if (y == inner) {
#pragma unroll
      for (uint j = 0; j < EACH; ++j) {
        now->row[x + j * LU_SIDE] = v->factors[K][j];
        now->of_inverse[x + j * LU_SIDE] = v->inverse[K][j];
      }
    }
    if (x == inner) {
#pragma unroll
      for (uint i = 0; i < EACH; ++i) now->column[y + i * LU_SIDE] = v->factors[i][K];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const DATA_TYPE reciprocal = 1 / now->row[k];
#pragma unroll
    for (uint i = 0; i < EACH; ++i) {
      const bool below = i > K || (i == K && y > inner);
      const DATA_TYPE factor = below ? now->column[y + i * LU_SIDE] * reciprocal : 0;
#pragma unroll
      for (uint j = 0; j < EACH; ++j) {
        const uint column = x + j * LU_SIDE;
        if (i >= K && (j > K || (j == K && x > inner))) v->factors[i][j] -= factor * now->row[column];
        if (i >= K && (j < K || (j == K && x <= inner))) v->inverse[i][j] -= factor * now->of_inverse[column];
        if (j == K && x == inner && below) v->factors[i][j] = factor;
      }
    }
  }
}

// Steps k = LU_SIDE * (K + 1) - 1 to LU_SIDE * K, downwards, of the solution of U X = 1; X = U^-1.
INLINE void invert_upper(const uint K, lu_values* v, __local lu_step steps[2], uint x, uint y) {
#pragma unroll 1
  for (uint left = LU_SIDE; left > 0; --left) {
    const uint inner = left - 1;
    __local lu_step* now = &steps[inner % 2];
    if (y == inner) {
#pragma unroll
      for (uint j = 0; j < EACH; ++j) now->of_inverse[x + j * LU_SIDE] = v->inverse[K][j];
    }
    if (x == inner) {
#pragma unroll
      for (uint i = 0; i < EACH; ++i) now->column[y + i * LU_SIDE] = v->factors[i][K];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const DATA_TYPE reciprocal = 1 / now->column[K * LU_SIDE + inner];
#pragma unroll
    for (uint j = 0; j < EACH; ++j) {
      const DATA_TYPE solved = now->of_inverse[x + j * LU_SIDE] * reciprocal;
#pragma unroll
      for (uint i = 0; i < EACH; ++i) {
        if (j >= K && (i < K || (i == K && y < inner))) v->inverse[i][j] -= now->column[y + i * LU_SIDE] * solved;
        if (j >= K && i == K && y == inner) v->inverse[i][j] = solved;
      }
    }
  }
}

INLINE void set_identity(lu_values* v, uint x, uint y) {
#pragma unroll
  for (uint i = 0; i < EACH; ++i)
#pragma unroll
    for (uint j = 0; j < EACH; ++j) v->inverse[i][j] = i == j && x == y ? 1 : 0;
}

__attribute__((reqd_work_group_size(LU_SIDE * LU_SIDE, 1, 1))) __kernel void hpl_lu(
    __global DATA_TYPE* restrict a, uint ld, uint row, uint column, __global DATA_TYPE* restrict diagonal) {
  __local lu_step steps[2];
  const uint x = get_local_id(0) % LU_SIDE;
  const uint y = get_local_id(0) / LU_SIDE;
  a += ((size_t)row + y) * ld + column + x;
  lu_values v;
#pragma unroll
  for (uint i = 0; i < EACH; ++i)
#pragma unroll
    for (uint j = 0; j < EACH; ++j) v.factors[i][j] = a[(size_t)(i * LU_SIDE) * ld + j * LU_SIDE];
  set_identity(&v, x, y);
  // One by one: the compilers unroll no loop of these, but each needs its constants.
  if (EACH > 0) eliminate(0, &v, steps, x, y);
  if (EACH > 1) eliminate(1, &v, steps, x, y);
  if (EACH > 2) eliminate(2, &v, steps, x, y);
  if (EACH > 3) eliminate(3, &v, steps, x, y);
  if (EACH > 4) eliminate(4, &v, steps, x, y);
  if (EACH > 5) eliminate(5, &v, steps, x, y);
  if (EACH > 6) eliminate(6, &v, steps, x, y);
  if (EACH > 7) eliminate(7, &v, steps, x, y);
#pragma unroll
  for (uint i = 0; i < EACH; ++i)
#pragma unroll
    for (uint j = 0; j < EACH; ++j) {
      a[(size_t)(i * LU_SIDE) * ld + j * LU_SIDE] = v.factors[i][j];
      diagonal[(x + j * LU_SIDE) * B + y + i * LU_SIDE] = v.inverse[i][j];
    }
  set_identity(&v, x, y);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (EACH > 7) invert_upper(7, &v, steps, x, y);
  if (EACH > 6) invert_upper(6, &v, steps, x, y);
  if (EACH > 5) invert_upper(5, &v, steps, x, y);
  if (EACH > 4) invert_upper(4, &v, steps, x, y);
  if (EACH > 3) invert_upper(3, &v, steps, x, y);
  if (EACH > 2) invert_upper(2, &v, steps, x, y);
  if (EACH > 1) invert_upper(1, &v, steps, x, y);
  if (EACH > 0) invert_upper(0, &v, steps, x, y);
#pragma unroll
  for (uint i = 0; i < EACH; ++i)
#pragma unroll
    for (uint j = 0; j < EACH; ++j) diagonal[B * B + (y + i * LU_SIDE) * B + x + j * LU_SIDE] = v.inverse[i][j];
}

// Top blocks: L^-1 A. One group a block.
__attribute__((reqd_work_group_size(SIDE, SIDE, 1))) __kernel void hpl_top(__global DATA_TYPE* a, uint ld, uint row,
                                                                           uint column,
                                                                           __global const DATA_TYPE* restrict diagonal,
                                                                           __global DATA_TYPE* restrict top,
                                                                           uint blocks) {
  __local slices slice[2];
  const uint2 at = place(item_of_group());
  const size_t index = get_group_id(0) + get_group_id(1);
  a += (size_t)row * ld + column + index * B;
  top += index * B * B;
  quad sum[R][QUADS];
  const block inverse = {diagonal, B, true};
  const block values = {a, ld, false};
  product(inverse, values, slice, item_of_group(), at, sum);
#pragma unroll
  for (uint i = 0; i < R; ++i)
#pragma unroll
    for (uint q = 0; q < QUADS; ++q) {
      const uint i_of_block = first_of(at.y, i / 4) + i % 4;
      QUAD(a + (size_t)i_of_block * ld + first_of(at.x, q)) = sum[i][q];
      QUAD(top + i_of_block * B + first_of(at.x, q)) = sum[i][q];
    }
}

// Left blocks: A U^-1. One group a block.
__attribute__((reqd_work_group_size(SIDE, SIDE, 1))) __kernel void hpl_left(__global DATA_TYPE* a, uint ld, uint row,
                                                                            uint column,
                                                                            __global const DATA_TYPE* restrict diagonal,
                                                                            __global DATA_TYPE* restrict left,
                                                                            uint blocks) {
  __local slices slice[2];
  const uint2 at = place(item_of_group());
  const size_t index = get_group_id(0) + get_group_id(1);
  a += ((size_t)row + index * B) * ld + column;
  left += index * B * B;
  quad sum[R][QUADS];
  const block values = {a, ld, false};
  const block inverse = {diagonal + B * B, B, false};
  product(values, inverse, slice, item_of_group(), at, sum);
#pragma unroll
  for (uint i = 0; i < R; i += 4)
#pragma unroll
    for (uint q = 0; q < QUADS; ++q) {
      const uint rows = first_of(at.y, i / 4);
      const uint columns = first_of(at.x, q);
#pragma unroll
      for (uint j = 0; j < 4; ++j) QUAD(a + (size_t)(rows + j) * ld + columns) = sum[i + j][q];
      __global DATA_TYPE* to = left + columns * B + rows;
      QUAD(to) = (quad)(sum[i][q].x, sum[i + 1][q].x, sum[i + 2][q].x, sum[i + 3][q].x);
      QUAD(to + B) = (quad)(sum[i][q].y, sum[i + 1][q].y, sum[i + 2][q].y, sum[i + 3][q].y);
      QUAD(to + 2 * B) = (quad)(sum[i][q].z, sum[i + 1][q].z, sum[i + 2][q].z, sum[i + 3][q].z);
      QUAD(to + 3 * B) = (quad)(sum[i][q].w, sum[i + 1][q].w, sum[i + 2][q].w, sum[i + 3][q].w);
    }
}

// Inner blocks: A - left top. Groups: columns of blocks by rows of blocks, of which the first is the `first_block`th of
// `left`; `rows` x `columns` values in all, and whole blocks are changed, as what fills up the last ones is zero.
__attribute__((reqd_work_group_size(SIDE, SIDE, 1))) __kernel void hpl_update(
    __global DATA_TYPE* restrict a, uint ld, uint row, uint column, __global const DATA_TYPE* restrict left,
    __global const DATA_TYPE* restrict top, uint first_row, uint first_column, uint rows, uint columns) {
  __local slices slice[2];
  const uint2 at = place(item_of_group());
  const size_t block_row = first_row + get_group_id(1);
  const size_t block_column = first_column + get_group_id(0);
  a += (row + block_row * B) * ld + column + block_column * B;
  quad sum[R][QUADS];
  const block p = {left + block_row * B * B, B, true};
  const block q = {top + block_column * B * B, B, false};
  product(p, q, slice, item_of_group(), at, sum);
#pragma unroll
  for (uint i = 0; i < R; ++i)
#pragma unroll
    for (uint j = 0; j < QUADS; ++j) {
      __global DATA_TYPE* to = a + (size_t)(first_of(at.y, i / 4) + i % 4) * ld + first_of(at.x, j);
      QUAD(to) -= sum[i][j];
    }
}
