// The four operations of a blocked LU decomposition without pivoting (meyer2024 4.1.3, figure 4.4) for CPUs. Blocks are
// B x B; the left blocks are kept packed in panels of ROWS rows, each column by column, the top blocks in panels of
// COLUMNS columns, each row by row, so that the update of the inner blocks, a matrix multiplication, reads them from
// end to end (gemm_ndrange_cpu.cl). Solving the left and top blocks has the same inner loop.
//
// a: the rows of this rank's blocks, `ld` values apart. row, column: of the first value of the first block.

#define B (1 << LOCAL_MEM_BLOCK_LOG)
#if REGISTER_BLOCK_LOG == 1
#define ROWS 2
#elif REGISTER_BLOCK_LOG == 2
#define ROWS 4
#elif REGISTER_BLOCK_LOG == 3
#define ROWS 8
#else
#define ROWS 16
#endif
#ifdef DATA_TYPE_IS_DOUBLE
#define VECTOR_WIDTH 8
#else
#define VECTOR_WIDTH 16
#endif
#define VECTORS 2
#define COLUMNS (VECTORS * VECTOR_WIDTH)
#define LOAD JOIN(vload, VECTOR_WIDTH)
#define STORE JOIN(vstore, VECTOR_WIDTH)

typedef JOIN(DATA_TYPE, VECTOR_WIDTH) vector;
typedef JOIN(DATA_TYPE, ROWS) column_of_rows;
#define LOAD_ROWS JOIN(vload, ROWS)
#define STORE_ROWS JOIN(vstore, ROWS)

#define PIVOTS VECTOR_WIDTH  // of a step of hpl_lu

// The columns of a step's pivots, from the first pivot down.
void lu_columns(__global DATA_TYPE* restrict diagonal, uint first) {
  for (uint k = first; k < first + PIVOTS; ++k) {
    const DATA_TYPE reciprocal = 1 / diagonal[k * B + k];
    diagonal[B * B + k] = reciprocal;
    for (uint i = k + 1; i < B; ++i) {
      const DATA_TYPE factor = diagonal[i * B + k] * reciprocal;
      diagonal[i * B + k] = factor;
      for (uint j = k + 1; j < first + PIVOTS; ++j) diagonal[i * B + j] -= factor * diagonal[k * B + j];
    }
  }
}

// The rows of a step's pivots to the right of them.
void lu_rows(__global DATA_TYPE* restrict diagonal, uint first) {
  __global const DATA_TYPE* factors = diagonal + first * B + first;
  for (uint j = first + PIVOTS; j < B; j += VECTOR_WIDTH) {
    vector x[PIVOTS];
#pragma unroll
    for (uint i = 0; i < PIVOTS; ++i) {
      x[i] = LOAD(0, diagonal + (first + i) * B + j);
#pragma unroll
      for (uint k = 0; k < i; ++k) x[i] = fma((vector)(-factors[i * B + k]), x[k], x[i]);
      STORE(x[i], 0, diagonal + (first + i) * B + j);
    }
  }
}

// What is below and to the right of a step's pivots, LU_ROWS rows at once.
#define LU_ROWS 4
void lu_rest(__global DATA_TYPE* restrict diagonal, uint first) {
  __global const DATA_TYPE* pivots = diagonal + first * B;
  for (uint i = first + PIVOTS; i < B; i += LU_ROWS) {
    __global DATA_TYPE* rows = diagonal + i * B;
    for (uint j = first + PIVOTS; j < B; j += VECTOR_WIDTH) {
      vector x[LU_ROWS];
#pragma unroll
      for (uint r = 0; r < LU_ROWS; ++r) x[r] = LOAD(0, rows + r * B + j);
#pragma unroll
      for (uint k = 0; k < PIVOTS; ++k) {
        const vector pivot_row = LOAD(0, pivots + k * B + j);
#pragma unroll
        for (uint r = 0; r < LU_ROWS; ++r) x[r] = fma((vector)(-rows[r * B + first + k]), pivot_row, x[r]);
      }
#pragma unroll
      for (uint r = 0; r < LU_ROWS; ++r) STORE(x[r], 0, rows + r * B + j);
    }
  }
}

// One work-item. diagonal: the factors once more, row by row, and behind them the reciprocals of the pivots. What is
// behind the pivots is read and written once for all of a step.
__kernel void hpl_lu(__global DATA_TYPE* restrict a, uint ld, uint row, uint column,
                     __global DATA_TYPE* restrict diagonal) {
  a += (size_t)row * ld + column;
  for (uint i = 0; i < B; ++i)
    for (uint j = 0; j < B; j += VECTOR_WIDTH) STORE(LOAD(0, a + (size_t)i * ld + j), 0, diagonal + i * B + j);
  for (uint first = 0; first < B; first += PIVOTS) {
    lu_columns(diagonal, first);
    lu_rows(diagonal, first);
    lu_rest(diagonal, first);
  }
  for (uint i = 0; i < B; ++i)
    for (uint j = 0; j < B; j += VECTOR_WIDTH) STORE(LOAD(0, diagonal + i * B + j), 0, a + (size_t)i * ld + j);
}

// Top blocks: L^-1 A. One work-item a panel of COLUMNS columns.
__kernel void hpl_top(__global DATA_TYPE* restrict a, uint ld, uint row, uint column,
                      __global const DATA_TYPE* restrict diagonal, __global DATA_TYPE* restrict top, uint blocks) {
  a += (size_t)row * ld + column + get_global_id(0) * COLUMNS;
  top += get_global_id(0) * COLUMNS * B;
  for (uint first = 0; first < B; first += ROWS) {
    vector x[ROWS][VECTORS];
#pragma unroll
    for (uint i = 0; i < ROWS; ++i)
#pragma unroll
      for (uint v = 0; v < VECTORS; ++v) x[i][v] = LOAD(v, a + (size_t)(first + i) * ld);
    for (uint k = 0; k < first; ++k)
#pragma unroll
      for (uint i = 0; i < ROWS; ++i)
#pragma unroll
        for (uint v = 0; v < VECTORS; ++v)
          x[i][v] = fma((vector)(-diagonal[(first + i) * B + k]), LOAD(v, top + k * COLUMNS), x[i][v]);
#pragma unroll
    for (uint i = 0; i < ROWS; ++i) {
#pragma unroll
      for (uint v = 0; v < VECTORS; ++v) {
#pragma unroll
        for (uint k = 0; k < i; ++k) x[i][v] = fma((vector)(-diagonal[(first + i) * B + first + k]), x[k][v], x[i][v]);
        STORE(x[i][v], v, a + (size_t)(first + i) * ld);
        STORE(x[i][v], v, top + (first + i) * COLUMNS);
      }
    }
  }
}

typedef union {
  column_of_rows column;
  DATA_TYPE values[ROWS];
} tile_line;

void transpose(const tile_line* restrict from, tile_line* restrict to) {
#pragma unroll
  for (uint i = 0; i < ROWS; ++i)
#pragma unroll
    for (uint j = 0; j < ROWS; ++j) to[j].values[i] = from[i].values[j];
}

// Left blocks: A U^-1. One work-item a panel of ROWS rows; lanes are rows.
__kernel void hpl_left(__global DATA_TYPE* restrict a, uint ld, uint row, uint column,
                       __global const DATA_TYPE* restrict diagonal, __global DATA_TYPE* restrict left, uint blocks) {
  a += ((size_t)row + get_global_id(0) * ROWS) * ld + column;
  left += get_global_id(0) * ROWS * B;
  for (uint first = 0; first < B; first += ROWS) {
    tile_line rows[ROWS];
    tile_line columns[ROWS];
#pragma unroll
    for (uint i = 0; i < ROWS; ++i) rows[i].column = LOAD_ROWS(0, a + (size_t)i * ld + first);
    transpose(rows, columns);
    column_of_rows x[ROWS];
#pragma unroll
    for (uint j = 0; j < ROWS; ++j) x[j] = columns[j].column;
    for (uint k = 0; k < first; ++k) {
      const column_of_rows known = LOAD_ROWS(k, left);
#pragma unroll
      for (uint j = 0; j < ROWS; ++j) x[j] = fma((column_of_rows)(-diagonal[k * B + first + j]), known, x[j]);
    }
#pragma unroll
    for (uint j = 0; j < ROWS; ++j) {
#pragma unroll
      for (uint k = 0; k < j; ++k) x[j] = fma((column_of_rows)(-diagonal[(first + k) * B + first + j]), x[k], x[j]);
      x[j] *= (column_of_rows)(diagonal[B * B + first + j]);
      STORE_ROWS(x[j], first + j, left);
    }
#pragma unroll
    for (uint j = 0; j < ROWS; ++j) columns[j].column = x[j];
    transpose(columns, rows);
#pragma unroll
    for (uint i = 0; i < ROWS; ++i) STORE_ROWS(rows[i].column, 0, a + (size_t)i * ld + first);
  }
}

void register_tile(__global const DATA_TYPE* restrict left, __global const DATA_TYPE* restrict top,
                   __global DATA_TYPE* c, size_t ld) {
  vector sum[ROWS][VECTORS];
#pragma unroll
  for (int i = 0; i < ROWS; ++i)
#pragma unroll
    for (int v = 0; v < VECTORS; ++v) sum[i][v] = (vector)(0);
  for (uint k = 0; k < B; ++k) {
    vector values[VECTORS];
#pragma unroll
    for (int v = 0; v < VECTORS; ++v) values[v] = LOAD(v, top + k * COLUMNS);
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
      const vector factor = (vector)(left[k * ROWS + i]);
#pragma unroll
      for (int v = 0; v < VECTORS; ++v) sum[i][v] = fma(factor, values[v], sum[i][v]);
    }
  }
#pragma unroll
  for (int i = 0; i < ROWS; ++i)
#pragma unroll
    for (int v = 0; v < VECTORS; ++v) STORE(LOAD(v, c + i * ld) - sum[i][v], v, c + i * ld);
}

// Inner blocks: A - left top. Work-items: columns of blocks by rows of blocks, of which the first are the
// `first_column`th of `top` and the `first_row`th of `left`; `rows` x `columns` values from there, behind which the
// last blocks have nothing to change.
__kernel void hpl_update(__global DATA_TYPE* restrict a, uint ld, uint row, uint column,
                         __global const DATA_TYPE* restrict left, __global const DATA_TYPE* restrict top,
                         uint first_row, uint first_column, uint rows, uint columns) {
  const size_t block_row = first_row + get_global_id(1);
  const size_t block_column = first_column + get_global_id(0);
  a += (row + block_row * B) * ld + column + block_column * B;
  left += block_row * B * B;
  top += block_column * B * B;
  const size_t down = min((size_t)B, rows - get_global_id(1) * B);
  const size_t across = min((size_t)B, columns - get_global_id(0) * B);
  for (size_t i = 0; i < down; i += ROWS)
    for (size_t j = 0; j < across; j += COLUMNS) register_tile(left + i * B, top + j * B, a + i * ld + j, ld);
}
