// PTRANS for GPUs: a work-group of TILE x ROWS work-items turns one tile in local memory, whose rows are one value
// longer so that a column touches every bank. `sources` as in ptrans_single.cl.
#define TILE 32
#define ROWS 8
#define TILES (BLOCK_SIZE / TILE)

__kernel __attribute__((reqd_work_group_size(TILE, ROWS, 1))) void transpose(
    __global const DATA_TYPE* restrict a, __global const DATA_TYPE* restrict received,
    __global const int* restrict sources, __global const DATA_TYPE* restrict b, __global DATA_TYPE* restrict c,
    const int first, const int count) {
  __local DATA_TYPE tile[TILE][TILE + 1];
  const int each = first + (int)get_group_id(1) / TILES;
  const int row = (int)get_group_id(1) % TILES * TILE;
  const int column = (int)get_group_id(0) * TILE;
  const int x = (int)get_local_id(0);
  const int source = sources[each];
  const ulong block = (ulong)BLOCK_SIZE * BLOCK_SIZE;
  __global const DATA_TYPE* from = source >= 0 ? received + source * block : a + (-1 - source) * block;
#pragma unroll
  for (int y = (int)get_local_id(1); y < TILE; y += ROWS) tile[y][x] = from[(column + y) * BLOCK_SIZE + row + x];
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (int y = (int)get_local_id(1); y < TILE; y += ROWS) {
    const ulong at = each * block + (row + y) * BLOCK_SIZE + column + x;
    c[at] = b[at] + tile[x][y];
  }
}
