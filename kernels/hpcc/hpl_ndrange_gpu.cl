// The four operations of a blocked LU decomposition without pivoting (meyer2024 4.1.3, figure 4.4) for GPUs. Blocks are
// B x B, each the work of one group of (B / R)^2 work-items that keep R x R values in registers. One group decomposes
// the diagonal block and inverts both factors, so that left, top and inner blocks are all multiplications.
//
// a: the rows of this rank's blocks, `ld` values apart. row, column: of the first value of the first block. diagonal:
// L^-1, then U^-1. left: blocks one after the other, transposed; top: likewise, not transposed.

#define B (1 << LOCAL_MEM_BLOCK_LOG)
#define R (1 << REGISTER_BLOCK_LOG)
#define SIDE (B / R)
#define QUADS (R / 4)
#define QUAD_STRIDE (B / QUADS)
#define DEPTH 16
#define LU_ITEMS 256

typedef struct {
  DATA_TYPE p[DEPTH][B + 4];
  DATA_TYPE q[DEPTH][B];
} slices;

// sum = P Q, blocks: value (i, k) of P at p[i * p_row + k * p_column], Q by rows that lie q_row apart.
void product(__global const DATA_TYPE* p, size_t p_row, size_t p_column, __global const DATA_TYPE* q, size_t q_row,
             __local slices* slice, DATA_TYPE sum[R][R]) {
  const uint x = get_local_id(0);
  const uint y = get_local_id(1);
#pragma unroll
  for (uint i = 0; i < R; ++i)
#pragma unroll
    for (uint j = 0; j < R; ++j) sum[i][j] = 0;
  for (uint start = 0; start < B; start += DEPTH) {
    for (uint each = y * SIDE + x; each < B * DEPTH; each += SIDE * SIDE) {
      // Neighbouring work-items read neighbours in memory.
      const uint i = p_column == 1 ? each / DEPTH : each % B;
      const uint k = p_column == 1 ? each % DEPTH : each / B;
      slice->p[k][i] = p[i * p_row + (start + k) * p_column];
      slice->q[each / B][each % B] = q[(start + each / B) * q_row + each % B];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint k = 0; k < DEPTH; ++k) {
      DATA_TYPE column[R];
      DATA_TYPE row[R];
#pragma unroll
      for (uint quad = 0; quad < QUADS; ++quad) {
        vstore4(vload4(y, &slice->p[k][quad * QUAD_STRIDE]), quad, column);
        vstore4(vload4(x, &slice->q[k][quad * QUAD_STRIDE]), quad, row);
      }
#pragma unroll
      for (uint i = 0; i < R; ++i)
#pragma unroll
        for (uint j = 0; j < R; ++j) sum[i][j] = fma(column[i], row[j], sum[i][j]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// Where in a block this work-item's value i of rows (its local id 1) or columns (0) lies.
uint place(uint i, uint dimension) {
  return i / 4 * QUAD_STRIDE + get_local_id(dimension) * 4 + i % 4;
}

// One column of L^-1 (L's diagonal is ones), and of U^-1.
void invert_lower(__local DATA_TYPE factors[B][B + 1], __global DATA_TYPE* inverse, uint column) {
  for (uint i = 0; i < B; ++i) {
    DATA_TYPE value = i == column ? 1 : 0;
    for (uint k = column; k < i; ++k) value -= factors[i][k] * inverse[k * B + column];
    inverse[i * B + column] = value;
  }
}

void invert_upper(__local DATA_TYPE factors[B][B + 1], __global DATA_TYPE* inverse, uint column) {
  for (int i = B - 1; i >= 0; --i) {
    DATA_TYPE value = i == (int)column ? 1 : 0;
    for (int k = i + 1; k <= (int)column; ++k) value -= factors[i][k] * inverse[k * B + column];
    inverse[i * B + column] = value / factors[i][i];
  }
}

__attribute__((reqd_work_group_size(LU_ITEMS, 1, 1))) __kernel void hpl_lu(__global DATA_TYPE* restrict a, uint ld,
                                                                           uint row, uint column,
                                                                           __global DATA_TYPE* restrict diagonal) {
  __local DATA_TYPE factors[B][B + 1];
  const uint item = get_local_id(0);
  a += (size_t)row * ld + column;
  for (uint each = item; each < B * B; each += LU_ITEMS)
    factors[each / B][each % B] = a[(size_t)(each / B) * ld + each % B];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 0; k < B - 1; ++k) {
    for (uint i = k + 1 + item; i < B; i += LU_ITEMS) factors[i][k] /= factors[k][k];
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint width = B - 1 - k;
    for (uint each = item; each < width * B; each += LU_ITEMS) {
      const uint i = k + 1 + each / B;
      const uint j = each % B;
      if (j > k) factors[i][j] -= factors[i][k] * factors[k][j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint each = item; each < B * B; each += LU_ITEMS)
    a[(size_t)(each / B) * ld + each % B] = factors[each / B][each % B];
  for (uint each = item; each < 2 * B; each += LU_ITEMS) {
    if (each < B)
      invert_lower(factors, diagonal, each);
    else
      invert_upper(factors, diagonal + B * B, each - B);
  }
}

// Top blocks: L^-1 A. One group a block.
__attribute__((reqd_work_group_size(SIDE, SIDE, 1))) __kernel void hpl_top(__global DATA_TYPE* a, uint ld, uint row,
                                                                           uint column,
                                                                           __global const DATA_TYPE* restrict diagonal,
                                                                           __global DATA_TYPE* restrict top,
                                                                           uint blocks) {
  __local slices slice;
  const size_t block = get_group_id(0) + get_group_id(1);
  a += (size_t)row * ld + column + block * B;
  top += block * B * B;
  DATA_TYPE sum[R][R];
  product(diagonal, B, 1, a, ld, &slice, sum);
#pragma unroll
  for (uint i = 0; i < R; ++i)
#pragma unroll
    for (uint j = 0; j < R; ++j) {
      a[(size_t)place(i, 1) * ld + place(j, 0)] = sum[i][j];
      top[place(i, 1) * B + place(j, 0)] = sum[i][j];
    }
}

// Left blocks: A U^-1. One group a block.
__attribute__((reqd_work_group_size(SIDE, SIDE, 1))) __kernel void hpl_left(__global DATA_TYPE* a, uint ld, uint row,
                                                                            uint column,
                                                                            __global const DATA_TYPE* restrict diagonal,
                                                                            __global DATA_TYPE* restrict left,
                                                                            uint blocks) {
  __local slices slice;
  const size_t block = get_group_id(0) + get_group_id(1);
  a += ((size_t)row + block * B) * ld + column;
  left += block * B * B;
  DATA_TYPE sum[R][R];
  product(a, ld, 1, diagonal + B * B, B, &slice, sum);
#pragma unroll
  for (uint i = 0; i < R; ++i)
#pragma unroll
    for (uint j = 0; j < R; ++j) {
      a[(size_t)place(i, 1) * ld + place(j, 0)] = sum[i][j];
      left[place(j, 0) * B + place(i, 1)] = sum[i][j];
    }
}

// Inner blocks: A - left top. Groups: columns of blocks by rows of blocks, of which the first is the `first_block`th of
// `left`; `rows` x `columns` values in all, and whole blocks are changed, as what fills up the last ones is zero.
__attribute__((reqd_work_group_size(SIDE, SIDE, 1))) __kernel void hpl_update(
    __global DATA_TYPE* restrict a, uint ld, uint row, uint column, __global const DATA_TYPE* restrict left,
    __global const DATA_TYPE* restrict top, uint first_block, uint rows, uint columns) {
  __local slices slice;
  const size_t block_row = first_block + get_group_id(1);
  const size_t block_column = get_group_id(0);
  a += (row + block_row * B) * ld + column + block_column * B;
  DATA_TYPE sum[R][R];
  product(left + block_row * B * B, 1, B, top + block_column * B * B, B, &slice, sum);
#pragma unroll
  for (uint i = 0; i < R; ++i)
#pragma unroll
    for (uint j = 0; j < R; ++j) a[(size_t)place(i, 1) * ld + place(j, 0)] -= sum[i][j];
}
