// The four operations of a blocked LU decomposition without pivoting as pipelines (meyer2024 4.1.3, figure 4.4; base
// implementation, so without channels). Blocks of B x B values are worked on in local memory, as blocks of R x R values
// in registers: the multiplication in three dimensions at once, the others in two.
//
// a: the rows of this rank's blocks, `ld` values apart. row, column: of the first value of the first block. left, top
// and diagonal keep blocks one after the other, row by row; those of `left` are transposed, so that the multiplication
// reads both by rows.

#define B (1 << LOCAL_MEM_BLOCK_LOG)
#define R (1 << REGISTER_BLOCK_LOG)
#define SIDE (B / R)
#define BLOCKS (SIDE * SIDE)

// Values that are used in one cycle, each in a bank of its own: of a block in local memory the register blocks follow
// each other by rows, and so do the values of each.
typedef DATA_TYPE register_block[R * R];
typedef DATA_TYPE register_row[R];

void load(__global const DATA_TYPE* restrict from, size_t ld, __local register_block to[BLOCKS]) {
  for (uint i = 0; i < B; ++i) {
    PIPELINED
    for (uint j = 0; j < SIDE; ++j) {
      UNROLLED(R)
      for (uint u = 0; u < R; ++u) to[i / R * SIDE + j][i % R * R + u] = from[i * ld + j * R + u];
    }
  }
}

void store(__local register_block from[BLOCKS], __global DATA_TYPE* restrict to, size_t ld) {
  for (uint i = 0; i < B; ++i) {
    PIPELINED
    for (uint j = 0; j < SIDE; ++j) {
      UNROLLED(R)
      for (uint u = 0; u < R; ++u) to[i * ld + j * R + u] = from[i / R * SIDE + j][i % R * R + u];
    }
  }
}

void load_transposed(__global const DATA_TYPE* restrict from, size_t ld, __local register_block to[BLOCKS]) {
  for (uint i = 0; i < B; ++i) {
    PIPELINED
    for (uint j = 0; j < SIDE; ++j) {
      UNROLLED(R)
      for (uint u = 0; u < R; ++u) to[j * SIDE + i / R][u * R + i % R] = from[i * ld + j * R + u];
    }
  }
}

void store_transposed(__local register_block from[BLOCKS], __global DATA_TYPE* restrict to, size_t ld) {
  for (uint i = 0; i < B; ++i) {
    PIPELINED
    for (uint j = 0; j < SIDE; ++j) {
      UNROLLED(R)
      for (uint u = 0; u < R; ++u) to[i * ld + j * R + u] = from[j * SIDE + i / R][u * R + i % R];
    }
  }
}

DATA_TYPE diagonal_value(__local register_block block[BLOCKS], uint k) {
  return block[k / R * (SIDE + 1)][k % R * (R + 1)];
}

// Row k of a block times `factor`, left there as well.
void scale_row(__local register_block block[BLOCKS], uint k, DATA_TYPE factor, __local register_row to[SIDE]) {
  PIPELINED
  for (uint j = 0; j < SIDE; ++j) {
    UNROLLED(R)
    for (uint x = 0; x < R; ++x) {
      const DATA_TYPE scaled = block[k / R * SIDE + j][k % R * R + x] * factor;
      block[k / R * SIDE + j][k % R * R + x] = scaled;
      to[j][x] = scaled;
    }
  }
}

void copy_row(__local register_block block[BLOCKS], uint k, __local register_row to[SIDE]) {
  PIPELINED
  for (uint j = 0; j < SIDE; ++j) {
    UNROLLED(R)
    for (uint x = 0; x < R; ++x) to[j][x] = block[k / R * SIDE + j][k % R * R + x];
  }
}

// What is below the diagonal of column k times `factor`, left there as well.
void scale_column(__local register_block block[BLOCKS], uint k, DATA_TYPE factor, __local register_row to[SIDE]) {
  PIPELINED
  for (uint i = 0; i < SIDE; ++i) {
    UNROLLED(R)
    for (uint y = 0; y < R; ++y) {
      const DATA_TYPE value = block[i * SIDE + k / R][y * R + k % R];
      const DATA_TYPE scaled = i * R + y > k ? value * factor : value;
      block[i * SIDE + k / R][y * R + k % R] = scaled;
      to[i][y] = scaled;
    }
  }
}

void copy_column(__local register_block block[BLOCKS], uint k, __local register_row to[SIDE]) {
  PIPELINED
  for (uint i = 0; i < SIDE; ++i) {
    UNROLLED(R)
    for (uint y = 0; y < R; ++y) to[i][y] = block[i * SIDE + k / R][y * R + k % R];
  }
}

// Value (i, j) -= factors(i) row(j) where i > k and j >= first, R x R of them a cycle; each register block once.
void eliminate(__local register_block block[BLOCKS], __local register_row factors[SIDE], __local register_row row[SIDE],
               uint k, uint first) {
  const uint top = (k + 1) / R;
  const uint left = first / R;
  uint i = top;
  uint j = left;
  INDEPENDENT(block, BLOCKS)
  PIPELINED
  for (uint step = 0; step < (SIDE - top) * (SIDE - left); ++step) {
    DATA_TYPE down[R] PARTITIONED(1);
    DATA_TYPE across[R] PARTITIONED(1);
    UNROLLED(R)
    for (uint u = 0; u < R; ++u) {
      down[u] = factors[i][u];
      across[u] = row[j][u];
    }
    UNROLLED(R)
    for (uint y = 0; y < R; ++y) {
      UNROLLED(R)
      for (uint x = 0; x < R; ++x) {
        const bool changes = i * R + y > k && j * R + x >= first;
        block[i * SIDE + j][y * R + x] -= changes ? down[y] * across[x] : (DATA_TYPE)0;
      }
    }
    if (++j == SIDE) {
      j = left;
      ++i;
    }
  }
}

SINGLE_WORK_ITEM
__kernel void hpl_lu(__global DATA_TYPE* restrict a, uint ld, uint row, uint column,
                     __global DATA_TYPE* restrict diagonal) {
  MEMORY(__local DATA_TYPE, block, BLOCKS, R * R);
  MEMORY(__local DATA_TYPE, pivot_column, SIDE, R);
  MEMORY(__local DATA_TYPE, pivot_row, SIDE, R);
  a += (size_t)row * ld + column;
  load(a, ld, block);
  for (uint k = 0; k < B; ++k) {
    scale_column(block, k, 1 / diagonal_value(block, k), pivot_column);
    copy_row(block, k, pivot_row);
    eliminate(block, pivot_column, pivot_row, k, k + 1);
  }
  store(block, a, ld);
  store(block, diagonal, B);
}

// Top blocks: L^-1 A, row after row.
SINGLE_WORK_ITEM
__kernel void hpl_top(__global DATA_TYPE* restrict a, uint ld, uint row, uint column,
                      __global const DATA_TYPE* restrict diagonal, __global DATA_TYPE* restrict top, uint blocks) {
  MEMORY(__local DATA_TYPE, factors, BLOCKS, R * R);
  MEMORY(__local DATA_TYPE, block, BLOCKS, R * R);
  MEMORY(__local DATA_TYPE, pivot_column, SIDE, R);
  MEMORY(__local DATA_TYPE, pivot_row, SIDE, R);
  a += (size_t)row * ld + column;
  load(diagonal, B, factors);
  for (uint each = 0; each < blocks; ++each, a += B, top += B * B) {
    load(a, ld, block);
    for (uint k = 0; k < B; ++k) {
      copy_column(factors, k, pivot_column);
      copy_row(block, k, pivot_row);
      eliminate(block, pivot_column, pivot_row, k, 0);
    }
    store(block, a, ld);
    store(block, top, B);
  }
}

// Left blocks: A U^-1, column after column; they lie transposed, so that columns are rows.
SINGLE_WORK_ITEM
__kernel void hpl_left(__global DATA_TYPE* restrict a, uint ld, uint row, uint column,
                       __global const DATA_TYPE* restrict diagonal, __global DATA_TYPE* restrict left, uint blocks) {
  MEMORY(__local DATA_TYPE, factors, BLOCKS, R * R);
  MEMORY(__local DATA_TYPE, block, BLOCKS, R * R);
  MEMORY(__local DATA_TYPE, pivot_column, SIDE, R);
  MEMORY(__local DATA_TYPE, pivot_row, SIDE, R);
  a += (size_t)row * ld + column;
  load(diagonal, B, factors);
  for (uint each = 0; each < blocks; ++each, a += (size_t)B * ld, left += B * B) {
    load_transposed(a, ld, block);
    for (uint k = 0; k < B; ++k) {
      copy_row(factors, k, pivot_column);
      scale_row(block, k, 1 / diagonal_value(factors, k), pivot_row);
      eliminate(block, pivot_column, pivot_row, k, 0);
    }
    store(block, left, B);
    store_transposed(block, a, ld);
  }
}

// sum -= left^T top, R x R x R multiply-adds a cycle; a register block is used again BLOCKS cycles later.
void multiply(__local register_block left[BLOCKS], __local register_block top[BLOCKS],
              __local register_block sum[BLOCKS]) {
  INDEPENDENT(sum, BLOCKS)
  PIPELINED
  for (uint step = 0; step < SIDE * BLOCKS; ++step) {
    const uint k = step / BLOCKS;
    const uint i = step / SIDE % SIDE;
    const uint j = step % SIDE;
    UNROLLED(R)
    for (uint y = 0; y < R; ++y) {
      UNROLLED(R)
      for (uint x = 0; x < R; ++x) {
        DATA_TYPE dot = 0;
        UNROLLED(R)
        for (uint z = 0; z < R; ++z) dot += left[k * SIDE + i][z * R + y] * top[k * SIDE + j][z * R + x];
        sum[i * SIDE + j][y * R + x] -= dot;
      }
    }
  }
}

// Inner blocks: A - left top, `rows` x `columns` values from the `first_row`th block of `left` and the `first_column`th
// of `top` on; in the last blocks what is behind them is zero.
SINGLE_WORK_ITEM
__kernel void hpl_update(__global DATA_TYPE* restrict a, uint ld, uint row, uint column,
                         __global const DATA_TYPE* restrict left, __global const DATA_TYPE* restrict top,
                         uint first_row, uint first_column, uint rows, uint columns) {
  MEMORY(__local DATA_TYPE, left_block, BLOCKS, R * R);
  MEMORY(__local DATA_TYPE, top_block, BLOCKS, R * R);
  MEMORY(__local DATA_TYPE, sum, BLOCKS, R * R);
  for (size_t i = first_row; i < first_row + (rows + B - 1) / B; ++i) {
    load(left + i * B * B, B, left_block);
    for (size_t j = first_column; j < first_column + (columns + B - 1) / B; ++j) {
      __global DATA_TYPE* inner = a + (row + i * B) * ld + column + j * B;
      load(top + j * B * B, B, top_block);
      load(inner, ld, sum);
      multiply(left_block, top_block, sum);
      store(sum, inner, ld);
    }
  }
}
