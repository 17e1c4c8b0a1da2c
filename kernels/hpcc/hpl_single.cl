// The four operations of a blocked LU decomposition without pivoting as pipelines (meyer2024 4.1.3, figure 4.4; base
// implementation, so without channels). Blocks of B x B values are worked on in local memory, as blocks of R x R values
// in registers: the multiplication in three dimensions at once, the others in two.
//
// a: the rows of this rank's blocks, `ld` values apart. row, column: of the first value of the first block. left, top
// and diagonal keep blocks one after the other, row by row; those of `left` are transposed, so that the multiplication
// reads both by rows.

#define B (1 << LOCAL_MEM_BLOCK_LOG)
#define R (1 << REGISTER_BLOCK_LOG)

void load(__global const DATA_TYPE* restrict from, size_t ld, __local DATA_TYPE to[B][B]) {
  for (uint i = 0; i < B; ++i) {
    PIPELINED
    for (uint j = 0; j < B; j += R) {
      UNROLLED(R)
      for (uint u = 0; u < R; ++u) to[i][j + u] = from[i * ld + j + u];
    }
  }
}

void store(__local DATA_TYPE from[B][B], __global DATA_TYPE* restrict to, size_t ld) {
  for (uint i = 0; i < B; ++i) {
    PIPELINED
    for (uint j = 0; j < B; j += R) {
      UNROLLED(R)
      for (uint u = 0; u < R; ++u) to[i * ld + j + u] = from[i][j + u];
    }
  }
}

SINGLE_WORK_ITEM
__kernel void hpl_lu(__global DATA_TYPE* restrict a, uint ld, uint row, uint column,
                     __global DATA_TYPE* restrict diagonal) {
  __local DATA_TYPE block[B][B] INTERLEAVED(R, 2);
  a += (size_t)row * ld + column;
  load(a, ld, block);
  for (uint k = 0; k < B; ++k) {
    const DATA_TYPE reciprocal = 1 / block[k][k];
    PIPELINED
    for (uint i = k + 1; i < B; ++i) block[i][k] *= reciprocal;
    for (uint i = k + 1; i < B; ++i) {
      const DATA_TYPE factor = block[i][k];
      INDEPENDENT
      PIPELINED
      for (uint j = (k + 1) / R * R; j < B; j += R) {
        UNROLLED(R)
        for (uint u = 0; u < R; ++u)
          if (j + u > k) block[i][j + u] -= factor * block[k][j + u];
      }
    }
  }
  store(block, a, ld);
  store(block, diagonal, B);
}

// Top blocks: L^-1 A, row after row.
SINGLE_WORK_ITEM
__kernel void hpl_top(__global DATA_TYPE* restrict a, uint ld, uint row, uint column,
                      __global const DATA_TYPE* restrict diagonal, __global DATA_TYPE* restrict top, uint blocks) {
  __local DATA_TYPE factors[B][B] INTERLEAVED(R, 2);
  __local DATA_TYPE block[B][B] INTERLEAVED(R, 2);
  a += (size_t)row * ld + column;
  load(diagonal, B, factors);
  for (uint each = 0; each < blocks; ++each, a += B, top += B * B) {
    load(a, ld, block);
    for (uint k = 0; k < B; ++k)
      for (uint i = k + 1; i < B; ++i) {
        const DATA_TYPE factor = factors[i][k];
        INDEPENDENT
        PIPELINED
        for (uint j = 0; j < B; j += R) {
          UNROLLED(R)
          for (uint u = 0; u < R; ++u) block[i][j + u] -= factor * block[k][j + u];
        }
      }
    store(block, a, ld);
    store(block, top, B);
  }
}

// Left blocks: A U^-1, column after column; they lie transposed, so that columns are rows.
SINGLE_WORK_ITEM
__kernel void hpl_left(__global DATA_TYPE* restrict a, uint ld, uint row, uint column,
                       __global const DATA_TYPE* restrict diagonal, __global DATA_TYPE* restrict left, uint blocks) {
  __local DATA_TYPE factors[B][B] INTERLEAVED(R, 2);
  __local DATA_TYPE block[B][B] INTERLEAVED(R, 2);
  a += (size_t)row * ld + column;
  load(diagonal, B, factors);
  for (uint each = 0; each < blocks; ++each, a += (size_t)B * ld, left += B * B) {
    for (uint i = 0; i < B; ++i) {
      PIPELINED
      for (uint j = 0; j < B; ++j) block[j][i] = a[i * (size_t)ld + j];
    }
    for (uint k = 0; k < B; ++k) {
      const DATA_TYPE reciprocal = 1 / factors[k][k];
      PIPELINED
      for (uint j = 0; j < B; ++j) block[k][j] *= reciprocal;
      for (uint i = k + 1; i < B; ++i) {
        const DATA_TYPE factor = factors[k][i];
        INDEPENDENT
        PIPELINED
        for (uint j = 0; j < B; j += R) {
          UNROLLED(R)
          for (uint u = 0; u < R; ++u) block[i][j + u] -= factor * block[k][j + u];
        }
      }
    }
    store(block, left, B);
    for (uint i = 0; i < B; ++i) {
      PIPELINED
      for (uint j = 0; j < B; ++j) a[i * (size_t)ld + j] = block[j][i];
    }
  }
}

// sum -= left^T top, R x R x R multiply-adds a cycle; a register block is used again (B / R)^2 cycles later.
void multiply(__local DATA_TYPE left[B][B], __local DATA_TYPE top[B][B], __local DATA_TYPE sum[B][B]) {
  for (uint k = 0; k < B; k += R) {
    INDEPENDENT
    PIPELINED
    for (uint block = 0; block < (B / R) * (B / R); ++block) {
      const uint i = block / (B / R) * R;
      const uint j = block % (B / R) * R;
      UNROLLED(R)
      for (uint y = 0; y < R; ++y) {
        UNROLLED(R)
        for (uint x = 0; x < R; ++x) {
          DATA_TYPE dot = 0;
          UNROLLED(R)
          for (uint z = 0; z < R; ++z) dot += left[k + z][i + y] * top[k + z][j + x];
          sum[i + y][j + x] -= dot;
        }
      }
    }
  }
}

// Inner blocks: A - left top, `rows` x `columns` values from the `first_block`th block of `left` on; in the last blocks
// what is behind them is zero.
SINGLE_WORK_ITEM
__kernel void hpl_update(__global DATA_TYPE* restrict a, uint ld, uint row, uint column,
                         __global const DATA_TYPE* restrict left, __global const DATA_TYPE* restrict top,
                         uint first_block, uint rows, uint columns) {
  __local DATA_TYPE left_block[B][B] INTERLEAVED(R, 1) INTERLEAVED(R, 2);
  __local DATA_TYPE top_block[B][B] INTERLEAVED(R, 1) INTERLEAVED(R, 2);
  __local DATA_TYPE sum[B][B] INTERLEAVED(R, 1) INTERLEAVED(R, 2);
  for (size_t i = first_block; i < first_block + (rows + B - 1) / B; ++i) {
    load(left + i * B * B, B, left_block);
    for (size_t j = 0; j < (columns + B - 1) / B; ++j) {
      __global DATA_TYPE* inner = a + (row + i * B) * ld + column + j * B;
      load(top + j * B * B, B, top_block);
      load(inner, ld, sum);
      multiply(left_block, top_block, sum);
      store(sum, inner, ld);
    }
  }
}
